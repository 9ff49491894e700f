import { createCodec, Failure, sha256, type RecordCodec } from "@seriatim/protocol";
import type { CoordinatorOptions } from "./coordinator.ts";
import type { Space } from "./space.ts";
import { Counters } from "./statistics.ts";
import { Verdicts } from "./verdicts.ts";
import { backoffDelay, sleep, type Backoff } from "./waiting.ts";

const defaultVerdictTimeout = 30_000;
const defaultRetry: Backoff = { base: 4, cap: 1_000 };

/** What the parts of one coordinator share. */
export class Environment {
  readonly space: Space;
  readonly codec: RecordCodec;
  readonly verdicts: Verdicts;
  readonly counters = new Counters();
  readonly clock: () => number;
  readonly verdictTimeout: number;
  readonly #random: () => number;
  readonly #retry: Backoff;
  #closed = false;

  constructor(space: Space, options: CoordinatorOptions) {
    this.space = space;
    this.codec = createCodec(space.genesis, sha256);
    this.verdicts = new Verdicts(space);
    this.clock = options.clock ?? (() => performance.now());
    this.verdictTimeout = options.verdictTimeout ?? defaultVerdictTimeout;
    this.#random = options.random ?? Math.random;
    this.#retry = { base: options.retry?.base ?? defaultRetry.base, cap: options.retry?.cap ?? defaultRetry.cap };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @throws Failure `closed`. */
  checkOpen(): void {
    if (this.#closed) throw new Failure("closed", "the coordinator was closed; nothing was written");
  }

  /** How long to wait before a retry, in ms; `retry` counts from 0. */
  delay(retry: number): number {
    return backoffDelay(this.#retry, retry, this.#random);
  }

  backOff(retry: number, signal: AbortSignal | undefined): Promise<void> {
    return sleep(this.delay(retry), signal);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.verdicts.close();
    await this.space.close();
  }
}
