interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
}

/**
 * Time for simulations. It stands still while anything can run, and then jumps to the next moment somebody waits for;
 * those who wait for the same moment go in the order in which they began to. So a run takes no real time, and is the
 * same every time, as long as all that takes part waits only by promises and by this clock.
 */
export class VirtualClock {
  #now: number;
  #sleepers: Sleeper[] = [];
  #isPumping = false;

  /** `start`: in ms since 1970. */
  constructor(start = Date.UTC(2025, 0, 1)) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  /** Resolves `duration` ms, rounded up to whole ones, of virtual time from now. */
  sleep(duration: number): Promise<void> {
    return new Promise((wake) => void this.schedule(wake, duration));
  }

  /** Calls `wake` after as long a time, unless what is returned is called before. */
  readonly schedule = (wake: () => void, duration: number): (() => void) => {
    const sleeper = { due: this.#now + Math.ceil(duration), wake };
    const after = this.#sleepers.findLastIndex(({ due }) => due <= sleeper.due);
    this.#sleepers.splice(after + 1, 0, sleeper);
    this.#pump();
    return () => {
      const index = this.#sleepers.indexOf(sleeper);
      if (index >= 0) this.#sleepers.splice(index, 1);
    };
  };

  /** Wakes one sleeper in each turn of the event loop: all promises have then run as far as they can. */
  #pump(): void {
    if (this.#isPumping || this.#sleepers.length === 0) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      const next = this.#sleepers.shift();
      if (next !== undefined) {
        this.#now = Math.max(this.#now, next.due);
        next.wake();
      }
      this.#pump();
    });
  }
}
