import { setTimeout as delay } from "node:timers/promises";
import type { KafkaConnection, Log, SqliteFile } from "@seriatim/log";
import { isFailure, sha256, type RecordCodec } from "@seriatim/protocol";
import { follow, verifyPosition, type Alarm, type View } from "@seriatim/view";
import { allPartitions } from "./genesis.ts";

export interface FollowingOptions {
  readonly connection: KafkaConnection;
  readonly intents: Log;
  readonly verdicts: Log;
  readonly codec: RecordCodec;
  readonly file: SqliteFile;
  readonly view: View;
  readonly onAdvance: () => void;
  readonly onAlarm: (alarm: Alarm) => void;
}

/** Between two beginnings, in ms. */
const pauseAfterOutage = 500;

/**
 * Follows the verdicts into the view for as long as the space is open, however long its broker is away.
 *
 * Invariant 9: whenever a connection was lost and is back, the logs must still be those that the view was folded from.
 */
export class KafkaFollowing {
  readonly #options: FollowingOptions;
  readonly #stop = new AbortController();
  /** Resolves when it was stopped; rejects with what no waiting cures, and with any failure before it has caught up. */
  readonly ended: Promise<void>;
  /** Resolves when the view holds what was decided before the start, or when it was stopped; rejects as `ended` does. */
  readonly caughtUp: Promise<void>;
  #hasCaughtUp = false;
  #replaced: unknown;
  #verifying: Promise<void> | undefined;

  /** Of a view that was just verified. */
  constructor(options: FollowingOptions) {
    this.#options = options;
    const first = this.#follow();
    const unsubscribe = options.connection.onReturn(() => this.#verifySoon());
    this.ended = this.#keepFollowing(first.ended).finally(unsubscribe);
    const arrived = first.caughtUp.then(() => void (this.#hasCaughtUp = true));
    this.caughtUp = Promise.race([arrived, this.ended]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended.catch(() => undefined);
    await this.#verifying;
  }

  #follow(): ReturnType<typeof follow> {
    const { verdicts, view, file, codec, onAdvance, onAlarm } = this.#options;
    const partitions = allPartitions(codec.genesis);
    return follow({ log: verdicts, view, file, codec, partitions, signal: this.#stop.signal, onAdvance, onAlarm });
  }

  async #keepFollowing(first: Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    let following = first;
    while (!signal.aborted) {
      try {
        await following;
      } catch (error) {
        if (signal.aborted) break;
        if (!this.#hasCaughtUp || !passes(error)) throw error;
        following = this.#followAgain();
      }
    }
    if (this.#replaced !== undefined) throw this.#replaced;
  }

  async #followAgain(): Promise<void> {
    await delay(pauseAfterOutage, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    await this.#verify();
    await this.#follow().ended;
  }

  async #verify(): Promise<void> {
    const { intents, verdicts, view, codec } = this.#options;
    const { signal } = this.#stop;
    await verifyPosition({ intents, verdicts, view, partitions: allPartitions(codec.genesis), hash: sha256, signal });
  }

  /** While the read goes on: it looks after its own log, and what is verified here are the intents. */
  #verifySoon(): void {
    if (this.#stop.signal.aborted) return;
    this.#verifying ??= this.#verify()
      .catch((error: unknown) => {
        // Should the broker be gone again, its next return brings us back here.
        if (this.#stop.signal.aborted || passes(error)) return;
        this.#replaced = error;
        this.#stop.abort();
      })
      .finally(() => (this.#verifying = undefined));
  }
}

/** Whether waiting for the broker is all that it takes. */
function passes(error: unknown): boolean {
  return isFailure(error, "unavailable") && error.canRetry;
}
