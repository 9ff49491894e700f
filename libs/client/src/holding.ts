import { assert, sha256 } from "@seriatim/protocol";
import type { Digest, EffectReport, Expire, Intent, Offset } from "@seriatim/protocol";
import type { Decision } from "@seriatim/view";
import type { Environment } from "./environment.ts";
import type { Submitter } from "./submitter.ts";

/** A record whose decision is waited for. */
export interface ToDecide {
  readonly partition: number;
  readonly id: string;
  readonly record: Uint8Array;
  readonly digest: Digest;
  readonly signal: AbortSignal | undefined;
}

/** An id under which another run holds something. */
export interface ToFree {
  readonly partition: number;
  readonly id: string;
  /** Who asks. */
  readonly agent: string;
  readonly signal: AbortSignal | undefined;
}

/** What holds take besides the calls themselves: records that are sent until they are decided, and reports. */
export class Holding {
  readonly #environment: Environment;
  readonly #submitter: Submitter;

  constructor(environment: Environment, submitter: Submitter) {
    this.#environment = environment;
    this.#submitter = submitter;
  }

  /**
   * Appends the record until its outcome is known: the same bytes, so that it is one record however often it stands in
   * the log. The decision is its own, or the one that claimed the id.
   * @throws Failure `unavailable`, `unknown_outcome`, `aborted`.
   */
  async decided({ partition, id, record, digest, signal }: ToDecide): Promise<Decision> {
    const { space, clock, verdictTimeout } = this.#environment;
    this.#environment.checkOpen();
    const awaited = { partition, id, digests: [digest], since: space.view.applied(partition) };
    return this.#submitter.insist(awaited, record, clock() + verdictTimeout, signal);
  }

  /** Closes an id by a cancel, unless it is decided. Never rejects: what stays open is closed when its lease runs out. */
  async close(address: {
    readonly partition: number;
    readonly snapshot: Offset;
    readonly id: string;
    readonly agent: string;
  }): Promise<void> {
    const { space } = this.#environment;
    const { partition, id } = address;
    try {
      if (space.view.decisionOf(id, partition) !== undefined) return;
      await this.#decide({ kind: "cancel", space: space.genesis.space, ...address }, undefined);
    } catch {
      // The caller has an error of its own to pass on, which says more.
    }
  }

  /**
   * Resolves when the id is decided: by the run that holds something under it, or by an expire once its lease has run
   * out. How far log time has come the log itself says: an expire that comes too early is refused with it.
   * @throws as {@link decided} does.
   */
  async free({ partition, id, agent, signal }: ToFree): Promise<void> {
    const { space, verdicts } = this.#environment;
    const { view, genesis } = space;
    for (;;) {
      const hold = view.holds(partition, id).at(-1);
      if (hold === undefined || view.decisionOf(id, partition) !== undefined) return;
      const since = view.applied(partition);
      const address = { space: genesis.space, partition, id, agent };
      const isForgotten = since - hold.offset >= genesis.limits.window - 1;
      const closing: Intent = isForgotten
        ? { kind: "cancel", ...address, snapshot: since }
        : ({ kind: "expire", ...address, snapshot: hold.offset - 1, hold: hold.offset } satisfies Expire);
      const { outcome, time } = await this.#decide(closing, signal);
      if (outcome.kind !== "refused" || outcome.code !== "not_expired") continue;
      await verdicts.await({ partition, id, digests: [], since }, hold.deadline - time, signal);
    }
  }

  /** Appends to the effects log. Twice is as good as once: the first report counts. */
  async report(report: EffectReport): Promise<void> {
    const { space, effectsCodec } = this.#environment;
    const record = effectsCodec.encode(report);
    await this.#submitter.appended(() => space.report(report.partition, record));
  }

  #decide(intent: Intent, signal: AbortSignal | undefined): Promise<Decision> {
    assert(intent.kind !== "submit", "a submit is for the submitter");
    const record = this.#environment.codec.encodeIntent(intent);
    const { partition, id } = intent;
    return this.decided({ partition, id, record, digest: sha256(record), signal });
  }
}
