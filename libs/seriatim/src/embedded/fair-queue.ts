/** Things of one origin that wait for their turn, in their order. */
export class Source<T> {
  readonly waiting: T[] = [];
}

/** Things of several origins, taken one of each in turn: who brings many waits longer, and nobody else does. */
export class FairQueue<T> {
  /** Those with something waiting, the one whose turn it is first. */
  readonly #ring = new Set<Source<T>>();

  get isEmpty(): boolean {
    return this.#ring.size === 0;
  }

  some(isMeant: (item: T) => boolean): boolean {
    for (const { waiting } of this.#ring) if (waiting.some(isMeant)) return true;
    return false;
  }

  add(source: Source<T>, item: T): void {
    source.waiting.push(item);
    this.#ring.add(source);
  }

  /** Forgets what waits of `source`. */
  drop(source: Source<T>): void {
    source.waiting.length = 0;
    this.#ring.delete(source);
  }

  /** The next in turn for as long as `fits` says so; of `yielding` nothing where another has something waiting. */
  take(fits: (item: T) => boolean, yielding?: Source<T>): T[] {
    if (yielding !== undefined && this.#ring.size > 1 && this.#ring.delete(yielding)) {
      const taken = this.take(fits);
      this.#ring.add(yielding);
      return taken;
    }
    const taken: T[] = [];
    for (;;) {
      const [source] = this.#ring;
      const item = source?.waiting[0];
      if (source === undefined || item === undefined || !fits(item)) return taken;
      taken.push(item);
      source.waiting.shift();
      this.#ring.delete(source);
      if (source.waiting.length > 0) this.#ring.add(source);
    }
  }
}
