import { Failure, inRange } from "@seriatim/protocol";
import type { Key, KeyRange, Limits, Write } from "@seriatim/protocol";

/** What a transaction has written and not yet submitted: the last write of each key. */
export class WriteSet {
  readonly #limits: Limits;
  readonly #writes = new Map<Key, Write>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get writes(): Write[] {
    return [...this.#writes.values()];
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0;
  }

  get(key: Key): Write | undefined {
    return this.#writes.get(key);
  }

  put(key: Key, value: Uint8Array | null, blind: boolean): void {
    const before = this.#writes.get(key);
    if (before === undefined && this.#writes.size >= this.#limits.writes)
      throw new Failure(
        "invalid_argument",
        `this transaction has written ${this.#limits.writes} keys, which is the limit of this space (writes); ` +
          "hold what changes together in fewer keys, or split the work over several transactions",
      );
    // One write that was not declared blind is enough for the key to count as seen.
    this.#writes.set(key, { key, value, blind: blind && (before?.blind ?? true) });
  }

  /** Those in the range as they are now, in byte order. */
  within(range: KeyRange): Write[] {
    return this.writes.filter(({ key }) => inRange(key, range)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
  }
}
