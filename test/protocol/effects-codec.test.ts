import {
  createEffectsCodec,
  createGenesis,
  effectActs,
  encodeGenesis,
  sha256,
  type Bytes,
  type EffectAct,
  type EffectRecord,
  type EffectResult,
} from "@seriatim/protocol";
import { describe, expect, test } from "vitest";

const genesis = createGenesis({ partitions: 1 });
const codec = createEffectsCodec(genesis);
const base = {
  space: genesis.space,
  partition: 3,
  effect: { offset: 2 ** 40, index: 7, side: "undo" },
  arguments: sha256(Buffer.from("{}")),
} as const;

const results: readonly EffectResult[] = [
  { kind: "done", result: Buffer.from('"é"') },
  { kind: "done", result: null },
  { kind: "again", error: "HTTP 503", delay: 250 },
  { kind: "failed", error: "HTTP 404" },
  { kind: "unknown", error: "no answer" },
];

function report(claim: number | null, result: EffectResult): EffectRecord {
  return { kind: "report", ...base, claim, worker: "worker-1", result };
}

function decision(act: EffectAct): EffectRecord {
  return { kind: "decision", ...base, act, who: "ops", why: "seen in the provider's log" };
}

const records: readonly EffectRecord[] = [
  { kind: "claim", ...base, attempt: 2, worker: "worker-1" },
  ...results.map((result, claim): EffectRecord => report(claim, result)),
  report(null, { kind: "done", result: null }),
  ...effectActs.map(decision),
];

describe("a record of the effects log", () => {
  test.each(records)("comes back as it was: $kind", (record) => {
    expect(codec.decode(codec.encode(record))).toEqual(record);
  });

  test("says nothing when it is torn, of another space or none at all", () => {
    const [claim] = records;
    if (claim === undefined) throw new Error("there are no records");
    const bytes = codec.encode(claim);
    for (let length = 0; length < bytes.length; length += 1)
      expect(codec.decode(bytes.subarray(0, length))).toBeUndefined();
    expect(codec.decode(codec.encode({ ...claim, space: "\x07".repeat(16) as Bytes }))).toBeUndefined();
    expect(codec.decode(encodeGenesis(genesis))).toBeUndefined();
  });

  test("is neither written nor read where the genesis does not admit it", () => {
    const without = createEffectsCodec({
      ...genesis,
      schemas: genesis.schemas.filter(({ kind }) => kind !== "claim"),
    });
    const [claim] = records;
    if (claim === undefined) throw new Error("there are no records");
    expect(() => without.encode(claim)).toThrow("does not admit the claim schema");
    expect(without.decode(codec.encode(claim))).toBeUndefined();
  });
});
