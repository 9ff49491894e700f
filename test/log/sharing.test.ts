import { shareOut } from "@seriatim/log";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const partitions = fc.integer({ min: 0, max: 64 }).map((count) => Array.from({ length: count }, (_, index) => index));
const members = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 12 });

describe("shareOut", () => {
  it("gives each partition to one member, and every member its share", () => {
    fc.assert(
      fc.property(partitions, members, (all, names) => {
        const shares = [...shareOut(all, names).values()];
        expect(shares.flat().toSorted((a, b) => a - b)).toEqual(all);
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("gives the same answer whoever asks", () => {
    fc.assert(
      fc.property(partitions, members, (all, names) => {
        expect(shareOut(all, names.toReversed())).toEqual(shareOut(all, names));
      }),
    );
  });

  it("moves few partitions when a member goes", () => {
    const all = Array.from({ length: 60 }, (_, index) => index);
    const names = ["a", "b", "c", "d", "e", "f"];
    const before = shareOut(all, names);
    const after = shareOut(all, names.slice(0, 5));
    const kept = names
      .slice(0, 5)
      .flatMap((name) => before.get(name)?.filter((p) => after.get(name)?.includes(p)) ?? []);
    // A round robin keeps 10 of the 50 that could stay.
    expect(kept.length).toBeGreaterThanOrEqual(35);
  });
});
