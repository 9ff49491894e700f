import type { Key, KeyRange } from "@seriatim/protocol";

const blockSize = 512;

/** What the order needs to know of a key, by its number. */
export interface KeyFacts {
  newest(id: number): number;
  tainted(id: number): boolean;
}

/** Up to 512 keys in order, and an upper bound of what stands in them. */
interface Block {
  readonly keys: Key[];
  readonly ids: number[];
  newest: number;
  mayBeTainted: boolean;
}

/** Keys in byte order, in blocks, so that a range is looked at without looking at each key in it. */
export class KeyOrder {
  readonly #facts: KeyFacts;
  #blocks: Block[] = [];

  constructor(facts: KeyFacts, keys: ReadonlyMap<Key, number>) {
    this.#facts = facts;
    const all = Array.from(keys).toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (let at = 0; at < all.length; at += blockSize / 2) {
      const part = all.slice(at, at + blockSize / 2);
      this.#blocks.push(
        this.#blockOf(
          part.map(([key]) => key),
          part.map(([, id]) => id),
        ),
      );
    }
  }

  add(key: Key, id: number): void {
    const at = this.#blockAt(key);
    const block = this.#blocks[at];
    if (block === undefined) {
      this.#blocks.push(this.#blockOf([key], [id]));
      return;
    }
    const place = lowerBound(block.keys, key);
    block.keys.splice(place, 0, key);
    block.ids.splice(place, 0, id);
    this.#raise(block, id);
    if (block.keys.length > blockSize) this.#split(at, block);
  }

  /** To be told after what is known of a key has changed. */
  touch(key: Key, id: number): void {
    const block = this.#blocks[this.#blockAt(key)];
    if (block !== undefined) this.#raise(block, id);
  }

  /** Whether a key in `range` has a version above `offset`. */
  changedAfter(range: KeyRange, offset: number): boolean {
    return this.#some(
      range,
      (block) => block.newest > offset,
      (id) => this.#facts.newest(id) > offset,
    );
  }

  anyTainted(range: KeyRange): boolean {
    return this.#some(
      range,
      (block) => block.mayBeTainted,
      (id) => this.#facts.tainted(id),
    );
  }

  #some(range: KeyRange, enter: (block: Block) => boolean, found: (id: number) => boolean): boolean {
    for (let at = this.#blockAt(range.from); at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at];
      const first = block?.keys[0];
      if (block === undefined || first === undefined || first >= range.to) return false;
      if (!enter(block)) continue;
      for (let place = lowerBound(block.keys, range.from); place < block.keys.length; place += 1) {
        const key = block.keys[place];
        if (key === undefined || key >= range.to) return false;
        if (found(block.ids[place] ?? -1)) return true;
      }
    }
    return false;
  }

  #blockOf(keys: Key[], ids: number[]): Block {
    const block: Block = { keys, ids, newest: -1, mayBeTainted: false };
    for (const id of ids) this.#raise(block, id);
    return block;
  }

  #raise(block: Block, id: number): void {
    block.newest = Math.max(block.newest, this.#facts.newest(id));
    block.mayBeTainted ||= this.#facts.tainted(id);
  }

  #split(at: number, block: Block): void {
    const half = block.keys.length >> 1;
    const upper = this.#blockOf(block.keys.slice(half), block.ids.slice(half));
    const lower = this.#blockOf(block.keys.slice(0, half), block.ids.slice(0, half));
    this.#blocks.splice(at, 1, lower, upper);
  }

  /** The block in which `key` stands or would stand: the last whose first key is not above it. */
  #blockAt(key: string): number {
    let [low, high] = [0, this.#blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#blocks[middle]?.keys[0] ?? "") <= key) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** The first place in `keys`, which rise, whose key is not below `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
