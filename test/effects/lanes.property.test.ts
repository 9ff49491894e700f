/* The lanes against a model that looks at all that is open, each time. */
import { sha256 } from "@seriatim/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { Lanes, type Place } from "../../services/effects-worker/src/core/index.ts";

const digest = sha256(Buffer.from("{}"));

const places = fc
  .uniqueArray(fc.record({ offset: fc.nat(12), index: fc.nat(3) }), {
    maxLength: 30,
    selector: ({ offset, index }) => `${offset} ${index}`,
  })
  .chain((found) =>
    fc.tuple(
      ...found.map((place) =>
        fc.constantFrom("a", "b", "c").map((lane): Place => Object.assign({ lane, digest }, place)),
      ),
    ),
  );

const steps = (count: number) =>
  fc.array(fc.tuple(fc.constantFrom("add", "close", "assume"), fc.nat(Math.max(0, count - 1))), { maxLength: 100 });

function isBefore(one: Place, other: Place): boolean {
  return one.offset < other.offset || (one.offset === other.offset && one.index < other.index);
}

function name({ offset, index }: Place): string {
  return `${offset} ${index}`;
}

it("an effect may be called when nothing open stands before it in its lane or its intent", () => {
  const property = fc.property(
    places.chain((found) => fc.tuple(fc.constant(found), steps(found.length))),
    ([found, taken]) => {
      const lanes = new Lanes();
      const open = new Set<Place>();
      const assumed = new Set<Place>();
      for (const [step, at] of taken) {
        const place = found[at];
        if (place === undefined) continue;
        if (step === "add") {
          expect(lanes.add(place)).toBe(!open.has(place));
          open.add(place);
        } else if (step === "close") {
          expect(lanes.close(place)).toBe(open.delete(place));
          assumed.delete(place);
        } else {
          lanes.assumeDone(place);
          if (open.has(place)) assumed.add(place);
        }
        const waits = (one: Place, others: Iterable<Place>): boolean =>
          [...others].some((other) => isBefore(other, one) && (other.lane === one.lane || other.offset === one.offset));
        const unassumed = [...open].filter((each) => !assumed.has(each));
        for (const each of found) {
          expect(lanes.mayCall(each)).toBe(open.has(each) && !waits(each, open));
          expect(lanes.mayClaim(each)).toBe(unassumed.includes(each) && !waits(each, unassumed));
        }
        const heads = unassumed.filter((each) => !waits(each, unassumed));
        expect([...lanes.heads()].map(name).toSorted()).toEqual(heads.map(name).toSorted());
      }
    },
  );
  fc.assert(property, { numRuns: 300 });
});

it("holds a long lane at a constant cost", () => {
  const lanes = new Lanes();
  const count = 50_000;
  for (let offset = 0; offset < count; offset += 1) lanes.add({ offset, index: 0, lane: "a", digest });
  for (let offset = 0; offset < count; offset += 1) {
    expect(lanes.mayCall({ offset, index: 0, lane: "a", digest })).toBe(true);
    lanes.close({ offset, index: 0, lane: "a", digest });
  }
  expect([...lanes.heads()]).toEqual([]);
});
