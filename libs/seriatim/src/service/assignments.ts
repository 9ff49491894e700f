/** Which partitions a group has assigned last; none at first. */
export class Assignments {
  #assigned: ReadonlySet<number> = new Set();
  #changed = new AbortController();
  #listener: ((assigned: ReadonlySet<number>) => void) | undefined;

  set(assigned: ReadonlySet<number>): void {
    const before = this.#changed;
    this.#assigned = assigned;
    this.#changed = new AbortController();
    this.#listener?.(assigned);
    before.abort();
  }

  /** With a signal that fires when they are others. */
  now(): { readonly assigned: ReadonlySet<number>; readonly changed: AbortSignal } {
    return { assigned: this.#assigned, changed: this.#changed.signal };
  }

  /** Tells them now and at each change. The listener takes the place of the one before it. */
  follow(listener: (assigned: ReadonlySet<number>) => void): void {
    this.#listener = listener;
    listener(this.#assigned);
  }
}
