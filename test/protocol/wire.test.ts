import {
  createCodec,
  createGenesis,
  isolations,
  sha256,
  type Bytes,
  type Effect,
  type Outcome,
  type Submit,
  type Verdict,
} from "@seriatim/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { intentFromWire } from "../../libs/protocol/src/intent-wire.ts";
import { headerBytes, readerOf, schemas } from "../../libs/protocol/src/schemas.ts";
import { conflictKinds, invalidReasons, refusalCodes } from "../../libs/protocol/src/types.ts";
import { verdictFromWire, verdictToWire, type WireVerdict } from "./verdict-by-avsc.ts";

/* What is read and written by hand is held to what `avsc` reads and writes by the schema. */

const genesis = createGenesis({ partitions: 1 });
const codec = createCodec(genesis, sha256);

const long = fc.oneof(
  fc.constantFrom(0, -1, 1, 63, 64, -64, -65, 127, 128, 8191, 8192, 2 ** 31, 2 ** 32, 2 ** 52 - 1, -(2 ** 52)),
  fc.integer(),
  fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }),
);
const int = fc.oneof(fc.constantFrom(0, 2 ** 31 - 1, -(2 ** 31)), fc.integer());
const bytes = fc.uint8Array({ maxLength: 80 }).map((found) => Buffer.from(found));
const key = bytes.map((found) => found.toString("latin1") as Bytes);
const text = fc.oneof(fc.string({ maxLength: 70 }), fc.string({ unit: "binary", maxLength: 70 }));
const fixed = (length: number): fc.Arbitrary<Bytes> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((found) => Buffer.from(found).toString("latin1") as Bytes);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(arbitrary, { maxLength: 3 });
const effect: fc.Arbitrary<Effect> = fc.record({ name: text, lane: text, arguments: bytes });

const submit: fc.Arbitrary<Submit> = fc.record({
  kind: fc.constant("submit"),
  space: fixed(16),
  partition: int,
  id: text,
  agent: text,
  snapshot: long,
  isolation: fc.constantFrom(...isolations),
  points: fc.array(fc.record({ key, version: optional(long) }), { maxLength: 70 }),
  ranges: some(fc.record({ from: key, to: key })),
  writes: some(fc.record({ key, value: optional(bytes), blind: fc.boolean() })),
  effects: some(effect),
  holds: some(long),
  validFrom: optional(long),
  validUntil: optional(long),
  result: optional(bytes),
});

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({ kind: fc.constant("genesis" as const), genesis: bytes }),
  fc.record({
    kind: fc.constant("committed" as const),
    writes: some(fc.record({ key, value: optional(bytes) })),
    effects: some(effect),
    holds: some(long),
    result: optional(bytes),
  }),
  fc.record({
    kind: fc.constant("refused" as const),
    code: fc.constantFrom(...refusalCodes),
    reason: optional(fc.constantFrom(...invalidReasons)),
    conflicts: some(fc.record({ kind: fc.constantFrom(...conflictKinds), key, version: long })),
    first: optional(long),
  }),
  fc.constant({ kind: "cancelled" as const }),
  fc.record({
    kind: fc.constant("held" as const),
    index: int,
    name: text,
    arguments: bytes,
    undo: optional(text),
    deadline: long,
    timeout: long,
  }),
  fc.constant({ kind: "expired" as const }),
  fc.record({ kind: fc.constant("repeated" as const), first: long }),
);

const verdict: fc.Arbitrary<Omit<Verdict, "chain">> = fc.record({
  space: fixed(16),
  partition: int,
  offset: long,
  predecessor: fc.record({ offset: long, chain: fixed(32) }),
  digest: fixed(32),
  id: optional(text),
  agent: optional(text),
  time: long,
  outcome,
});

/** Damage that keeps the header: a byte changed, put in or taken out, the end cut off, or more after it. */
const damage = fc.record({
  kind: fc.constantFrom("change", "insert", "remove", "cut", "add"),
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff)),
});

function damaged(
  whole: Buffer,
  { kind, at, byte }: { readonly kind: string; readonly at: number; readonly byte: number },
): Buffer {
  const place = headerBytes + Math.floor(at * (whole.length - headerBytes));
  const [before, after] = [whole.subarray(0, place), whole.subarray(place)];
  switch (kind) {
    case "change":
      return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)]);
    case "insert":
      return Buffer.concat([before, Buffer.from([byte]), after]);
    case "remove":
      return Buffer.concat([before, after.subarray(1)]);
    case "cut":
      return before;
    default:
      return Buffer.concat([whole, Buffer.from([byte])]);
  }
}

const submits = readerOf(schemas.submit, schemas.submit.text);
const verdicts = readerOf(schemas.verdict, schemas.verdict.text);

/** `toEqual` is told apart by no class of bytes. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, each: unknown) => (each instanceof Uint8Array ? [...each] : each)));
}

function submitByAvro(record: Buffer): unknown {
  const wire = submits.read(record);
  return wire === undefined ? { kind: "invalid", reason: "undecodable" } : intentFromWire("submit", wire);
}

/** The chain hash is no matter of the schema, and is made right here. */
function rechained(record: Buffer): Buffer {
  if (record.length < headerBytes + 32) return record;
  const before = record.subarray(0, -32);
  return Buffer.concat([before, Buffer.from(sha256(before), "latin1")]);
}

function verdictByAvro(record: Buffer): unknown {
  const wire = verdicts.read(record) as WireVerdict | undefined;
  return wire === undefined ? undefined : verdictFromWire(wire);
}

describe("by hand as by the schema", () => {
  it("submits are read", () => {
    fc.assert(
      fc.property(submit, (drafted) => {
        const record = Buffer.from(codec.encodeIntent(drafted));
        expect(plain(codec.decodeIntent(record))).toEqual(plain(submitByAvro(record)));
      }),
      { numRuns: 1000 },
    );
  });

  it("submits that are damaged are read or rejected", () => {
    let [whole, broken] = [0, 0];
    fc.assert(
      fc.property(submit, fc.array(damage, { minLength: 1, maxLength: 3 }), (drafted, damages) => {
        const record = damages.reduce(damaged, Buffer.from(codec.encodeIntent(drafted)));
        const found = codec.decodeIntent(record);
        if (found.kind === "submit") whole += 1;
        else broken += 1;
        expect(plain(found)).toEqual(plain(submitByAvro(record)));
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(whole, broken)).toBeGreaterThan(100);
  });

  it("integers are read however long they are written", () => {
    const record = Buffer.from(codec.encodeIntent(fc.sample(submit, { numRuns: 1, seed: 1 })[0] as Submit));
    const at = headerBytes + 16;
    const rest = record.subarray(at).subarray(record.subarray(at).findIndex((byte) => byte < 0x80) + 1);
    for (const end of [[0x00], [0x01], [0x7f]])
      for (let more = 0; more < 12; more += 1)
        for (const filling of [0x80, 0xff]) {
          const varint = [...Array.from({ length: more }, () => filling), ...end];
          const written = Buffer.concat([record.subarray(0, at), Buffer.from(varint), rest]);
          expect(plain(codec.decodeIntent(written))).toEqual(plain(submitByAvro(written)));
        }
  });

  it("arrays are read however they are cut into blocks", () => {
    const record = codec.encodeIntent({ ...(fc.sample(submit, { numRuns: 1, seed: 2 })[0] as Submit), ...bare });
    const [before, after] = [Buffer.from(record.subarray(0, -6)), Buffer.from(record.subarray(-5))];
    for (const blocks of [
      [0],
      [2, 2, 2, 4, 0],
      [1, 2, 6, 0],
      [3, 0, 2, 4, 2, 6, 0],
      [1, 1, 6, 0],
      [3, 2, 6, 0],
      [4, 2, 0],
    ]) {
      const written = Buffer.concat([before, Buffer.from(blocks), after.subarray(1)]);
      expect(plain(codec.decodeIntent(written))).toEqual(plain(submitByAvro(written)));
    }
  });

  it("verdicts are written, and read", () => {
    fc.assert(
      fc.property(verdict, (draft) => {
        const { bytes: record, chain } = codec.encodeVerdict(draft);
        const byAvro = schemas.verdict.encode(verdictToWire(draft));
        expect(Buffer.from(record).toString("hex")).toBe(rechained(byAvro).toString("hex"));
        expect(plain(codec.decodeVerdict(record))).toEqual(plain(verdictByAvro(Buffer.from(record))));
        expect(codec.decodeVerdict(record)?.chain).toBe(chain);
      }),
      { numRuns: 2000 },
    );
  });

  it("verdicts that are damaged are read or rejected", () => {
    let [whole, broken] = [0, 0];
    fc.assert(
      fc.property(verdict, fc.array(damage, { minLength: 1, maxLength: 3 }), (draft, damages) => {
        const record = rechained(damages.reduce(damaged, Buffer.from(codec.encodeVerdict(draft).bytes)));
        const found = codec.decodeVerdict(record);
        if (found === undefined) broken += 1;
        else whole += 1;
        expect(plain({ found })).toEqual(plain({ found: verdictByAvro(record) }));
      }),
      { numRuns: 5000 },
    );
    expect(Math.min(whole, broken)).toBeGreaterThan(100);
  });
});

/** What stands last in a submit: holds, both times and the result, a byte each. */
const bare = { effects: [], holds: [], validFrom: null, validUntil: null, result: null };
