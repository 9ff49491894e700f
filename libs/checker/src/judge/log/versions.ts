import type { Key, Offset } from "@seriatim/protocol";
import type { LoggedTransaction } from "../../history.ts";
import { lowerBound } from "./key-order.ts";

/** The versions of one key within a span, in order. */
export class KeyVersions {
  readonly offsets: Offset[] = [];
  readonly nodes: number[] = [];
  readonly deletions: boolean[] = [];

  /** The place of the newest version not above `offset`; -1 when that stands before the span. */
  at(offset: Offset): number {
    let [low, high] = [0, this.offsets.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.offsets[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The place of the newest version not above `offset` at which the key was absent. */
  absentAt(offset: Offset): number {
    let place = this.at(offset);
    while (place >= 0 && this.deletions[place] !== true) place -= 1;
    return place;
  }

  /** The place of the version `offset`, which must have left a value; undefined when it is none. */
  exactly(offset: Offset): number | undefined {
    const place = this.at(offset);
    return place >= 0 && this.offsets[place] === offset && this.deletions[place] === false ? place : undefined;
  }
}

/** All that was written within a span. */
export class SpanVersions {
  readonly #keys = new Map<Key, KeyVersions>();
  #sorted: Key[] | undefined;

  constructor(transactions: readonly LoggedTransaction[]) {
    for (const [node, { offset, writes }] of transactions.entries())
      for (const { key, deleted } of writes) {
        const versions = this.of(key) ?? new KeyVersions();
        this.#keys.set(key, versions);
        versions.offsets.push(offset);
        versions.nodes.push(node);
        versions.deletions.push(deleted);
      }
  }

  of(key: Key): KeyVersions | undefined {
    return this.#keys.get(key);
  }

  all(): IterableIterator<[Key, KeyVersions]> {
    return this.#keys.entries();
  }

  /** The keys written within the span that lie in a range, in order. */
  *within(from: string, to: string): Generator<Key> {
    this.#sorted ??= Array.from(this.#keys.keys()).toSorted((a, b) => (a < b ? -1 : 1));
    for (let place = lowerBound(this.#sorted, from); place < this.#sorted.length; place += 1) {
      const key = this.#sorted[place];
      if (key === undefined || key >= to) return;
      yield key;
    }
  }
}
