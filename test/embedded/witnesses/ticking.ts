/**
 * Time that goes by a millisecond in each turn of the event loop, so that all that waits by it, or for a turn, comes in an
 * order which is the same every time.
 */
export class Ticking {
  #now = 0;
  #isGoing = false;
  readonly #waiting = new Map<() => void, number>();

  readonly now = (): number => this.#now;

  readonly schedule = (wake: () => void, ms: number): (() => void) => {
    const entry = (): void => wake();
    this.#waiting.set(entry, this.#now + Math.max(1, Math.ceil(ms)));
    this.#go();
    return () => void this.#waiting.delete(entry);
  };

  sleep(ms: number): Promise<void> {
    return new Promise((wake) => void this.schedule(wake, ms));
  }

  #go(): void {
    if (this.#isGoing || this.#waiting.size === 0) return;
    this.#isGoing = true;
    setImmediate(() => {
      this.#isGoing = false;
      this.#now += 1;
      for (const [wake, due] of this.#waiting) {
        if (due > this.#now) continue;
        this.#waiting.delete(wake);
        wake();
      }
      this.#go();
    });
  }
}
