import * as fc from "fast-check";
import { expect } from "vitest";
import type { Bytes, Key, KeyRange } from "@seriatim/protocol";
import { KeyTree } from "../../services/sequencer/src/core/tree.ts";

/** Keys few enough to be written again, many enough for three levels. */
export const keyOf = (number: number): Key => `k/${number.toString().padStart(6, "0")}` as Key;

/** What the tree says it does, by the plainest means. */
class SortedModel {
  readonly #versions = new Map<Key, number>();

  get size(): number {
    return this.#versions.size;
  }

  set(key: Key, version: number): void {
    this.#versions.set(key, version);
  }

  purge(horizon: number): void {
    for (const [key, version] of this.#versions) if (version <= horizon) this.#versions.delete(key);
  }

  versionOf(key: Key): number {
    return this.#versions.get(key) ?? -1;
  }

  newestIn({ from, to }: KeyRange, after: number, limit: number) {
    return [...this.#versions]
      .filter(([key, version]) => key >= from && key < to && version > after)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
      .map(([key, version]) => ({ key, version }));
  }
}

type Step =
  | { readonly kind: "write"; readonly keys: readonly number[] }
  | { readonly kind: "run"; readonly from: number; readonly length: number }
  | { readonly kind: "purge"; readonly share: number }
  | { readonly kind: "ask"; readonly a: number; readonly b: number; readonly share: number; readonly limit: number };

const manyKeys = 4_000;
const number = fc.nat(manyKeys);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write"), keys: fc.array(number, { maxLength: 30 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("run"), from: number, length: fc.nat(200) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("purge"), share }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("ask"), a: number, b: number, share, limit: fc.nat(20) }),
  },
);

/** The tree is a sorted array with a horizon, and holds its invariants after each step. */
export const isSortedArray = fc.property(
  fc.boolean(),
  fc.array(step, { maxLength: 40, size: "max" }),
  (isFull, steps) => {
    const tree = new KeyTree();
    const model = new SortedModel();
    let newest = 0;
    let horizon = -1;
    const write = (key: Key, version: number): void => {
      tree.set(key, version);
      model.set(key, version);
    };
    // With this many there are three levels.
    if (isFull) for (let index = 0; index < manyKeys; index += 1) write(keyOf(index), ++newest);
    for (const now of steps) {
      switch (now.kind) {
        case "write":
          newest += 1;
          for (const chosen of now.keys) write(keyOf(chosen), newest);
          break;
        case "run":
          for (let index = 0; index < now.length; index += 1) write(keyOf(now.from + index), ++newest);
          break;
        case "purge":
          horizon += Math.round(now.share * (newest - horizon));
          tree.purge(horizon);
          model.purge(horizon);
          break;
        case "ask": {
          const range = { from: keyOf(now.a), to: keyOf(now.b) };
          const after = horizon + Math.round(now.share * (newest - horizon));
          expect(tree.newestIn(range, after, now.limit)).toEqual(model.newestIn(range, after, now.limit));
          expect(tree.versionOf(range.from)).toBe(model.versionOf(range.from));
          break;
        }
      }
      tree.audit();
      expect(tree.size).toBe(model.size);
    }
    const all = { from: "" as Bytes, to: "\xff" as Bytes };
    expect(tree.newestIn(all, horizon, Infinity)).toEqual(model.newestIn(all, horizon, Infinity));
  },
);
