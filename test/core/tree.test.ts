import { describe, expect, test } from "vitest";
import type { Key } from "@seriatim/protocol";
import { KeyTree } from "../../services/sequencer/src/core/tree.ts";
import { holds } from "./seeded.ts";
import { isSortedArray, keyOf } from "./tree-model.ts";

describe("the memory tree", () => {
  test("is a sorted array with a horizon, and holds its invariants after each step", () => {
    holds("test/core/tree.test.ts", isSortedArray(4_000, 40), 100);
  });

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
