/* Intents for the property test, most of them valid and each now and then wrong in one way. */
import * as fc from "fast-check";
import { isolations, toBytes } from "@seriatim/protocol";
import type { Bytes, Cancel, Effect, Hold, Intent, KeyRange, Submit } from "@seriatim/protocol";
import { cancel, hold, otherSpace, submit } from "./partition.ts";

/** In UTF-16 the third from the end comes before the two after it; in UTF-8 it comes after. */
const rests = ["x", "x/y", "y", "z", "é", "\u{1f600}", "\uff5a", "\uffff"];
const rest = fc.constantFrom(...rests);
export const mostly = <T>(usual: fc.Arbitrary<T>, weight: number, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

const goodKey = fc.tuple(mostly(fc.constant("a"), 60, fc.constant("b")), rest).map((parts) => toBytes(parts.join("/")));
const badKey = fc.constantFrom(
  ...["", "a", "/x", "a/", "a/\0", "a/\xff", "a/\xc3", "a/\xed\xa0\x80", "a/34567890123"].map((key) => key as Bytes),
);
const key = mostly(goodKey, 150, badKey);

const bound = mostly(
  goodKey,
  9,
  fc.constantFrom(
    ...["", "a", "a/", "a0", "a1", "b/", "\xff", "a/\xff", "a/x\0", "a/3456789012\0"].map((text) => text as Bytes),
  ),
);
const goodRange = fc
  .tuple(bound, bound)
  .filter(([a, b]) => a !== b)
  .map(([a, b]): KeyRange => (a < b ? { from: a, to: b } : { from: b, to: a }));
/** The last two have a bound of fourteen bytes where thirteen are allowed. */
const badRange = fc.constantFrom(
  ...[
    ["a/x", "a/x"],
    ["a/y", "a/x"],
    ["a/345678901234", "a/x"],
    ["a/1", "a/z45678901234"],
  ].map(([from, to]): KeyRange => ({ from: from as Bytes, to: to as Bytes })),
);
const range = mostly(goodRange, 40, badRange);

const bytes = (...lengths: number[]): fc.Arbitrary<Buffer> =>
  fc.constantFrom(...lengths.map((length) => Buffer.alloc(length, 7)));

/** Three of them make a verdict of just the limit, or of a byte or more above. */
const argument = mostly(
  fc.oneof(
    bytes(3, 300),
    fc.integer({ min: 220, max: 232 }).map((length) => Buffer.alloc(length, 7)),
  ),
  60,
  bytes(301),
);

const uniqueMostly = <T extends { readonly key: Bytes }>(entry: fc.Arbitrary<T>, most: number): fc.Arbitrary<T[]> =>
  mostly(
    fc.uniqueArray(entry, { maxLength: most, selector: (chosen) => chosen.key, size: "max" }),
    30,
    fc.array(entry, { maxLength: most + 1, size: "max" }),
  );

const instant = fc.option(fc.integer({ min: 90, max: 140 }), { freq: 2 });
/** A name of sixteen bytes fits, whatever its characters. */
const name = mostly(
  fc.constantFrom("p", "q", "1234567890123456", "éééééé\u{1f60a}"),
  40,
  fc.constantFrom("", "éééééééé1"),
);

const effectName = mostly(fc.constantFrom("mail", "1234567890123456"), 60, fc.constantFrom("", "éééééééé1"));

/** An intent but for what depends on where it comes to stand. */
export interface Draft {
  readonly intent: Intent;
  /** The snapshot, as distance behind the record's own offset. */
  readonly behind: number;
  /** Points' versions, as distances behind the snapshot. */
  readonly versions: readonly (number | null)[];
}

const addressed = {
  partition: mostly(fc.constant(0), 60, fc.constant(1)),
  space: mostly(fc.constant(submit().space), 60, fc.constant(otherSpace)),
  id: mostly(fc.nat(25).map(String), 60, name),
  agent: name,
};

/** Not biased towards the bounds, most of which make a record invalid. */
const behind = fc.noBias(
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 12, arbitrary: fc.integer({ min: 3, max: 8 }) },
    { weight: 2, arbitrary: fc.integer({ min: 7, max: 12 }) },
    { weight: 1, arbitrary: fc.integer({ min: -2, max: 30 }) },
  ),
);

export const drafts: fc.Arbitrary<Draft> = fc.record({
  intent: fc.oneof(
    {
      weight: 7,
      arbitrary: fc
        .record({
          ...addressed,
          isolation: fc.constantFrom("serializable" as const, ...isolations),
          points: uniqueMostly(fc.record({ key, version: fc.constant(null) }), 4),
          ranges: mostly(fc.array(range, { maxLength: 2 }), 30, fc.array(range, { maxLength: 3, size: "max" })),
          writes: uniqueMostly(
            fc.record({
              key,
              value: fc.option(mostly(bytes(0, 1, 6), 30, bytes(7)), { freq: 4 }),
              blind: mostly(fc.constant(false), 3, fc.constant(true)),
            }),
            3,
          ),
          effects: mostly(
            fc.constant<Effect[]>([]),
            8,
            fc.array(fc.record({ name: effectName, lane: effectName, arguments: argument }), {
              maxLength: 4,
              size: "max",
            }),
          ),
          validFrom: mostly(fc.constant(null), 5, instant),
          validUntil: mostly(fc.constant(null), 5, instant),
          result: mostly(fc.option(bytes(0, 6)), 40, bytes(7)),
        })
        .map((parts): Submit => submit(parts)),
    },
    { weight: 1, arbitrary: fc.record(addressed).map((parts): Cancel => cancel(parts)) },
    {
      weight: 2,
      arbitrary: fc
        .record({
          ...addressed,
          attempt: name,
          index: mostly(fc.nat(1), 40, fc.constantFrom(-1, 2)),
          name: effectName,
          arguments: mostly(bytes(2), 40, bytes(300, 301)),
          undo: fc.option(effectName),
          lease: mostly(fc.integer({ min: 2, max: 20 }), 40, fc.constantFrom(1, 40, 41)),
          timeout: mostly(fc.constant(1), 40, fc.constantFrom(0, 40)),
        })
        .map((parts): Hold => hold(parts)),
    },
  ),
  behind,
  versions: fc.array(fc.option(mostly(fc.nat(3), 60, fc.constant(-1))), { minLength: 5, maxLength: 5 }),
});
