import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Bytes, Key, KeyRange } from "@seriatim/protocol";
import { KeyTree } from "../../services/sequencer/src/core/tree.ts";
import { holds } from "./seeded.ts";

/** Keys few enough to be written again, many enough for three levels. */
const keyOf = (number: number): Key => `k/${number.toString().padStart(6, "0")}` as Key;

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

describe("the memory tree", () => {
  test("is a sorted array with a horizon, and holds its invariants after each step", () => {
    holds(
      "test/core/tree.test.ts",
      fc.property(fc.boolean(), fc.array(step, { maxLength: 40, size: "max" }), (isFull, steps) => {
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
      }),
      100,
    );
  }, 60_000);

  test("holds 100,000 keys, written in a scattered order and again, and lets go of all of them", () => {
    const tree = new KeyTree();
    const count = 100_000;
    const scattered = (index: number): Key => keyOf((index * 7_919) % count);
    for (let index = 0; index < count; index += 1) tree.set(scattered(index), index);
    tree.audit();
    expect(tree.size).toBe(count);

    for (let index = 0; index < count; index += 2) tree.set(scattered(index), count + index);
    tree.purge(count - 1);
    tree.audit();
    expect(tree.size).toBe(count / 2);
    expect(tree.versionOf(scattered(1))).toBe(-1);
    expect(tree.versionOf(scattered(2))).toBe(count + 2);

    // Purged by age, which here is scattered over the leaves.
    for (let horizon = count; horizon < 2 * count; horizon += 9_973) {
      tree.purge(horizon);
      tree.audit();
    }
    tree.purge(2 * count);
    tree.audit();
    expect(tree.size).toBe(0);
  });

  test("enters only what is newer than asked for", () => {
    const tree = new KeyTree();
    for (let index = 0; index < 100_000; index += 1) tree.set(keyOf(index), index);
    tree.set(keyOf(5), 200_000);
    const all = { from: keyOf(0), to: keyOf(999_999) };
    const started = performance.now();
    for (let turn = 0; turn < 1_000; turn += 1) {
      expect(tree.newestIn(all, 150_000, 16).length).toBe(1);
      expect(tree.newestIn(all, 250_000, 16).length).toBe(0);
    }
    // Reading all entries each time would take minutes.
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("keeps few nodes for few entries, whatever was purged before", () => {
    const tree = new KeyTree();
    for (let index = 0; index < 50_000; index += 1) tree.set(keyOf(index), index);
    // One key in fifty is written again, so that all that is left of each leaf is an entry or two.
    for (let index = 0; index < 50_000; index += 50) tree.set(keyOf(index), 50_000 + index);
    tree.purge(49_999);
    expect(tree.size).toBe(1_000);
    expect(tree.audit()).toBeLessThan(1_000 / 10);
  });

  test("is asked for nothing behind its horizon, and written in order", () => {
    const tree = new KeyTree();
    tree.set(keyOf(1), 10);
    tree.purge(5);
    expect(() => tree.newestIn({ from: keyOf(0), to: keyOf(9) }, 4, 1)).toThrow("behind the window");
    expect(() => tree.set(keyOf(2), 5)).toThrow("above the horizon");
    expect(() => tree.set(keyOf(2), 9)).toThrow("order");
  });
});
