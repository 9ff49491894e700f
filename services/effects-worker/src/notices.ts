import type { Timing } from "./timing.ts";

/** What a worker remembers of an effect that it has looked at. */
export interface Notice {
  /** When it was looked at first. */
  readonly first: number;
  /** When it was last seen to have changed. */
  readonly since: number;
  /** From 0 (inclusive) to 1 (exclusive). */
  readonly chance: number;
}

/** When effects were noticed, and when they are to be looked at again. */
export class Notices {
  readonly #timing: Timing;
  readonly #notices = new Map<string, Notice>();
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Begins with the first look. */
  of(key: string): Notice {
    return this.#notices.get(key) ?? this.#note(key, this.#timing.now());
  }

  /** It has changed just now. */
  renew(key: string): void {
    this.#note(key, this.#notices.get(key)?.first ?? this.#timing.now());
  }

  /** Nothing is left to do about it. */
  forget(key: string): void {
    this.#notices.delete(key);
    this.cancel(key);
  }

  /** Calls `look` at a time, unless it is put off or called off before. */
  lookAt(key: string, time: number, look: () => void): void {
    this.cancel(key);
    const timer = setTimeout(
      () => {
        this.#timers.delete(key);
        look();
      },
      Math.min(Math.max(0, time - this.#timing.now()), longestTimer),
    );
    this.#timers.set(key, timer);
  }

  cancel(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }

  end(): void {
    for (const key of this.#timers.keys()) this.cancel(key);
  }

  #note(key: string, first: number): Notice {
    const notice = { first, since: this.#timing.now(), chance: this.#timing.random() };
    this.#notices.set(key, notice);
    return notice;
  }
}

/** A longer one would fire at once; who looks too early looks again. */
const longestTimer = 2 ** 31 - 1;
