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

export type Step =
  | { readonly kind: "write"; readonly keys: readonly number[] }
  | { readonly kind: "run"; readonly from: number; readonly length: number }
  | { readonly kind: "purge"; readonly share: number }
  | { readonly kind: "ask"; readonly a: number; readonly b: number; readonly share: number; readonly limit: number };

const share = fc.double({ min: 0, max: 1, noNaN: true });

function stepOf(keys: number): fc.Arbitrary<Step> {
  const number = fc.noBias(fc.nat(keys));
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("write"),
        keys: fc.array(number, { maxLength: Math.min(30, keys >> 3), size: "max" }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("run"), from: number, length: fc.nat(keys >> 3) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("purge"), share }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("ask"), a: number, b: number, share, limit: fc.nat(20) }),
    },
  );
}

/** A tree and its model, to which the same is done. */
class Pair {
  readonly #tree = new KeyTree();
  readonly #model = new SortedModel();
  #newest = 0;
  #horizon = -1;

  take(step: Step): void {
    switch (step.kind) {
      case "write":
        this.#newest += 1;
        for (const chosen of step.keys) this.#write(keyOf(chosen));
        break;
      case "run":
        for (let index = 0; index < step.length; index += 1) {
          this.#newest += 1;
          this.#write(keyOf(step.from + index));
        }
        break;
      case "purge":
        this.#horizon = this.#admissible(step.share);
        this.#tree.purge(this.#horizon);
        this.#model.purge(this.#horizon);
        break;
      case "ask":
        this.#compare({ from: keyOf(step.a), to: keyOf(step.b) }, this.#admissible(step.share), step.limit);
        break;
    }
    this.#tree.audit();
    expect(this.#tree.size).toBe(this.#model.size);
  }

  compareAll(): void {
    this.#compare({ from: "" as Bytes, to: "\xff" as Bytes }, this.#horizon, Infinity);
  }

  #write(key: Key): void {
    this.#tree.set(key, this.#newest);
    this.#model.set(key, this.#newest);
  }

  #compare(range: KeyRange, after: number, limit: number): void {
    expect(this.#tree.newestIn(range, after, limit)).toEqual(this.#model.newestIn(range, after, limit));
    expect(this.#tree.versionOf(range.from)).toBe(this.#model.versionOf(range.from));
  }

  #admissible(part: number): number {
    return this.#horizon + Math.round(part * (this.#newest - this.#horizon));
  }
}

/** Takes the steps, comparing and auditing after each. */
export function takeAll(steps: readonly Step[]): void {
  const pair = new Pair();
  for (const step of steps) pair.take(step);
  pair.compareAll();
}

/**
 * The tree is a sorted array with a horizon, and holds its invariants after each step.
 * @param keys how many there are to choose from: so few that they come again. Half of the runs begin with all of them.
 */
export function isSortedArray(keys: number, steps: number) {
  return fc.property(fc.boolean(), fc.array(stepOf(keys), { maxLength: steps, size: "max" }), (isFull, taken) => {
    takeAll(isFull ? [{ kind: "run", from: 0, length: keys }, ...taken] : taken);
  });
}
