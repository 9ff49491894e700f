/*
 * Scans of a transaction against a model: what they return, and that the range they record is exactly the part of the key
 * space that their answer speaks of.
 */
import type { Item, Range, ScanOptions, Transaction } from "@seriatim/client";
import { inRange, toBytes, toKey, defaultLimits, type Key, type KeyRange } from "@seriatim/protocol";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { ReadSet } from "../../libs/client/src/read-set.ts";
import { coordinatorOn, FakeSpace } from "./fake-space.ts";

// Bytes of several lengths, and two whose UTF-16 order is not their byte order.
const letters = ["a", "b", "z", "é", "\uffff", "\u{10000}"];
const keys = letters.flatMap((x) => ["", ...letters].map((y) => `k/${x}${y}`));
const key = fc.constantFrom(...keys);
const byBytes = (a: string, b: string) => (toBytes(a) < toBytes(b) ? -1 : 1);

const range: fc.Arbitrary<Range> = fc.oneof(
  fc.constantFrom("k/", "k/a", "k/z", "k/é", "k/\u{10000}").map((prefix) => ({ prefix })),
  fc
    .tuple(key, key)
    .filter(([a, b]) => a !== b)
    .map((bounds) => {
      const [from = "", to = ""] = bounds.toSorted(byBytes);
      return { from, to };
    }),
);
const scan = fc.record({
  range,
  options: fc.record({ limit: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }), reverse: fc.boolean() }),
});
const writes = fc.dictionary(key, fc.option(fc.integer(), { nil: null }), { maxKeys: 12 });

type Content = ReadonlyMap<string, number>;

function overlaid(stored: Content, own: Readonly<Record<string, number | null>>): Content {
  const merged = new Map(stored);
  for (const [name, value] of Object.entries(own)) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return merged;
}

function isIn(name: string, where: Range): boolean {
  if ("prefix" in where) return name.startsWith(where.prefix);
  return byBytes(where.from, name) < 0 || where.from === name
    ? byBytes(name, where.to) < 0 && name !== where.to
    : false;
}

function modelScan(content: Content, where: Range, { limit, reverse }: ScanOptions) {
  const sorted = [...content].filter(([name]) => isIn(name, where)).toSorted(([a], [b]) => byBytes(a, b));
  const ordered = reverse === true ? sorted.toReversed() : sorted;
  return ordered.slice(0, limit).map(([name, value]) => ({ key: name, value }));
}

function isCovered(name: string, ranges: readonly KeyRange[]): boolean {
  return ranges.some((each) => inRange(toKey(name), each));
}

function numbered(n: number): Key {
  return toKey(`k/${String(n).padStart(2, "0")}`);
}

/** Lays `own` over the stored keys, and takes it off again, so that the transaction leaves the state as it was. */
async function withOwnWrites(
  tx: Transaction,
  stored: Content,
  own: Readonly<Record<string, number | null>>,
  work: () => Promise<void>,
): Promise<void> {
  const lay = (name: string, value: number | null | undefined) => {
    if (typeof value === "number") tx.put(name, value);
    else tx.delete(name);
  };
  for (const [name, value] of Object.entries(own)) lay(name, value);
  await work();
  for (const name of Object.keys(own)) lay(name, stored.get(name));
}

async function seeded(isStored: (n: number) => boolean) {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space);
  const stored = new Map(keys.filter((_, n) => isStored(n)).map((name, n) => [name, n]));
  await coordinator.run({ agent: "seeder" }, (tx) => {
    for (const [name, value] of stored) tx.put(name, value);
  });
  return { space, coordinator, stored };
}

it("returns what the model does", async () => {
  const { coordinator, stored } = await seeded((n) => n % 3 !== 0);
  await fc.assert(
    fc.asyncProperty(writes, scan, async (own, { range: where, options }) => {
      const content = overlaid(stored, own);
      await coordinator.run({ agent: "reader" }, (tx) =>
        withOwnWrites(tx, stored, own, async () => {
          expect(await tx.scan(where, options)).toEqual(modelScan(content, where, options));
          expect(await tx.count(where)).toBe(modelScan(content, where, {}).length);
        }),
      );
    }),
    { numRuns: 100 },
  );
});

it("a change outside of the recorded range cannot alter the answer, one inside is recorded", async () => {
  const { space, coordinator, stored } = await seeded((n) => n % 2 === 0);
  let recorded: readonly KeyRange[] = [];
  space.onAppend = (record) => {
    if (record.kind === "submit") recorded = record.ranges;
  };
  await fc.assert(
    fc.asyncProperty(writes, scan, async (own, { range: where, options }) => {
      let items: readonly Item[] = [];
      await coordinator.run({ agent: "reader", isolation: "none" }, (tx) =>
        withOwnWrites(tx, stored, own, async () => {
          items = await tx.scan(where, options);
        }),
      );
      const last = items.at(-1)?.key;
      const isCutOff = options.limit === items.length;
      for (const name of keys) {
        const changed = new Map(stored);
        if (!changed.delete(name)) changed.set(name, -1);
        const altered = modelScan(overlaid(changed, own), where, options);
        if (JSON.stringify(altered) !== JSON.stringify(items)) expect(isCovered(name, recorded)).toBe(true);
        const isBeyond = isCutOff && last !== undefined && name !== last && byBytes(last, name) < 0 !== options.reverse;
        expect(isCovered(name, recorded)).toBe(isIn(name, where) && !isBeyond);
      }
    }),
    { numRuns: 100 },
  );
});

it("a read set keeps its ranges apart, sorted, and covers exactly what was added", () => {
  const limits = { ...defaultLimits, ranges: 1000 };
  const bounds = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 1, max: 6 }));
  fc.assert(
    fc.property(fc.array(bounds, { maxLength: 20 }), (added) => {
      const reads = new ReadSet(limits);
      for (const [from, width] of added) reads.addRange({ from: numbered(from), to: numbered(from + width) });
      for (let n = 0; n < 50; n += 1)
        expect(reads.covers(numbered(n))).toBe(added.some(([from, width]) => n >= from && n < from + width));
      for (const [index, { to }] of reads.ranges.entries()) {
        const next = reads.ranges[index + 1];
        if (next !== undefined) expect(to < next.from).toBe(true);
      }
    }),
  );
});
