import type { Timing } from "./timing.ts";

/**
 * Time, in ms, that passes only while a reader waits for more: a log is quiet where its reader hears nothing, and not
 * where it is held up by what is done with what it read.
 */
export class ReadingTime {
  readonly #timing: Timing;
  /** How long the reader has been held up until now, and since when it is again. */
  #heldUp = 0;
  #since: number | undefined;

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  now(): number {
    const now = this.#since ?? this.#timing.now();
    return now - this.#heldUp;
  }

  /** Does what holds the reader up. One at a time. */
  async stopFor(work: () => Promise<void>): Promise<void> {
    this.#since = this.#timing.now();
    try {
      await work();
    } finally {
      this.#heldUp += this.#timing.now() - this.#since;
      this.#since = undefined;
    }
  }
}
