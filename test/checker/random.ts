/** A small seeded generator (mulberry32): the same seed gives the same history. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  }

  /** In [0, end). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Up to `most` of `items`, in their order. */
  some<Item>(items: readonly Item[], most: number): Item[] {
    const wanted = this.below(most + 1);
    return items
      .filter((_, at) => this.next() < wanted / items.length || (at === 0 && this.chance(0.1)))
      .slice(0, most);
  }
}
