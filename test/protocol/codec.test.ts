import {
  beforeGenesis,
  createCodec,
  createGenesis,
  decodeGenesis,
  defaultLimits,
  encodeGenesis,
  leastVerdictBytes,
  prefixRange,
  sha256,
  toKey,
  type Genesis,
  type Hold,
  type Submit,
  type Verdict,
} from "@seriatim/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc64 } from "../../libs/protocol/src/fingerprint.ts";
import { wellFormed } from "../../libs/protocol/src/well-formed.ts";

const genesis = createGenesis({ partitions: 2 });
const codec = createCodec(genesis, sha256);

const submit: Submit = {
  kind: "submit",
  space: genesis.space,
  partition: 1,
  id: "intent",
  agent: "agent",
  snapshot: 7,
  isolation: "serializable",
  points: [
    { key: toKey("a/é"), version: null },
    { key: toKey("a/b"), version: 3 },
  ],
  ranges: [prefixRange("a/x")],
  writes: [
    { key: toKey("a/b"), value: Buffer.from("1"), blind: false },
    { key: toKey("a/c"), value: null, blind: true },
  ],
  effects: [{ name: "mail", lane: "default", arguments: Buffer.from("{}") }],
  holds: [8, 9],
  validFrom: null,
  validUntil: 1_700_000_000_000,
  result: Buffer.from("true"),
};

const hold: Hold = {
  kind: "hold",
  space: genesis.space,
  partition: 1,
  id: "intent",
  agent: "agent",
  snapshot: 7,
  attempt: "attempt",
  index: 2,
  name: "reserve",
  arguments: Buffer.from('{"seat":1}'),
  undo: "release",
  lease: 60_000,
  timeout: 10_000,
};

const verdict: Omit<Verdict, "chain"> = {
  space: genesis.space,
  partition: 1,
  offset: 8,
  predecessor: beforeGenesis,
  digest: sha256(Buffer.from("record")),
  id: "intent",
  agent: "agent",
  time: 1_700_000_000_000,
  outcome: {
    kind: "committed",
    writes: [{ key: toKey("a/b"), value: Buffer.from("1") }],
    effects: [],
    holds: [4],
    result: null,
  },
};

describe("intents", () => {
  it("come back as they were", () => {
    expect(codec.decodeIntent(codec.encodeIntent(submit))).toEqual(submit);
    const cancel = { kind: "cancel", space: genesis.space, partition: 0, id: "i", agent: "a", snapshot: 1 } as const;
    expect(codec.decodeIntent(codec.encodeIntent(cancel))).toEqual(cancel);
    for (const undo of ["release", null]) {
      const held = { ...hold, undo };
      expect(codec.decodeIntent(codec.encodeIntent(held))).toEqual(held);
    }
    const expire = { ...cancel, kind: "expire", agent: "worker", hold: 4 } as const;
    expect(codec.decodeIntent(codec.encodeIntent(expire))).toEqual(expire);
    expect(codec.decodeIntent(encodeGenesis(genesis))).toEqual({ kind: "genesis" });
  });

  it("are invalid when they are no record, of a schema not admitted, cut short or followed by more", () => {
    const bytes = Buffer.from(codec.encodeIntent(submit));
    expect(codec.decodeIntent(Buffer.from("{}"))).toEqual({ kind: "invalid", reason: "not_a_record" });
    expect(codec.decodeIntent(Buffer.alloc(0))).toEqual({ kind: "invalid", reason: "not_a_record" });
    const unknown = Buffer.from(bytes);
    unknown[5] = (unknown[5] ?? 0) ^ 1;
    expect(codec.decodeIntent(unknown)).toEqual({ kind: "invalid", reason: "schema_not_admitted" });
    const undecodable = { kind: "invalid", reason: "undecodable" };
    for (let length = 10; length < bytes.length; length += 1)
      expect(codec.decodeIntent(bytes.subarray(0, length))).toEqual(undecodable);
    expect(codec.decodeIntent(Buffer.concat([bytes, Buffer.alloc(1)]))).toEqual(undecodable);
  });

  it("never throw, hang or decode to something else than they encode, whatever byte is changed", () => {
    const bytes = codec.encodeIntent(submit);
    fc.assert(
      fc.property(fc.nat(bytes.length - 11), fc.nat(255), (at, value) => {
        const damaged = Buffer.from(bytes);
        damaged[10 + at] = value;
        const decoded = codec.decodeIntent(damaged);
        if (decoded.kind === "submit") expect(codec.decodeIntent(codec.encodeIntent(decoded))).toEqual(decoded);
        else expect(decoded).toEqual({ kind: "invalid", reason: "undecodable" });
      }),
    );
  });

  it("with a count of two thousand million items are undecodable, and allocate nothing", () => {
    const isArray = wellFormed({ type: "array", items: "long" });
    expect(isArray(Buffer.from([0x02, 0x04, 0x00]), 0)).toBe(true);
    expect(isArray(Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 0x00]), 0)).toBe(false);
    expect(isArray(Buffer.from([0xfd, 0xff, 0xff, 0xff, 0x0f, 0x02, 0x00]), 0)).toBe(false);
  });

  it("with text that is not UTF-8 are undecodable", () => {
    const bytes = Buffer.from(codec.encodeIntent(submit));
    bytes[bytes.indexOf("intent")] = 0xff;
    expect(codec.decodeIntent(bytes)).toEqual({ kind: "invalid", reason: "undecodable" });
  });
});

function heldOf({ index, name, arguments: args, undo, timeout }: Hold): Verdict["outcome"] {
  return { kind: "held", index, name, arguments: args, undo, deadline: 1_700_000_060_000, timeout };
}

describe("verdicts", () => {
  const { bytes, chain } = codec.encodeVerdict(verdict);

  it("come back as they were, for each outcome", () => {
    const outcomes: Verdict["outcome"][] = [
      verdict.outcome,
      { kind: "genesis", genesis: Buffer.from(encodeGenesis(genesis)) },
      { kind: "refused", code: "invalid", reason: "undecodable", conflicts: [], first: null },
      {
        kind: "refused",
        code: "conflict",
        reason: null,
        conflicts: [{ kind: "range", key: toKey("a/é"), version: 4 }],
        first: null,
      },
      { kind: "refused", code: "id_reused", reason: null, conflicts: [], first: 3 },
      { kind: "cancelled" },
      { kind: "expired" },
      { kind: "repeated", first: 5 },
      heldOf(hold),
      heldOf({ ...hold, undo: null }),
      { kind: "refused", code: "closed", reason: null, conflicts: [], first: 3 },
    ];
    for (const outcome of outcomes) {
      const encoded = codec.encodeVerdict({ ...verdict, outcome });
      expect(codec.decodeVerdict(encoded.bytes)).toEqual({ ...verdict, outcome, chain: encoded.chain });
    }
  });

  it("end with the SHA-256 of all before, so that a changed bit shows", () => {
    expect(sha256(bytes.subarray(0, -32))).toBe(chain);
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      expect(codec.decodeVerdict(damaged)).toBeUndefined();
    }
  });
});

describe("a genesis", () => {
  it("comes back as it was, with the same bytes", () => {
    const bytes = encodeGenesis(genesis);
    expect(decodeGenesis(bytes)).toEqual(genesis);
    expect(encodeGenesis(decodeGenesis(bytes))).toEqual(bytes);
  });

  it.each([
    ["rules", { rules: 1 }, "unknown_rules", "rules 1"],
    ["a limit", { limits: { ...defaultLimits, colours: 7 } }, "unknown_rules", "colours"],
    ["a kind of record", { schemas: [{ kind: "settle", text: '"int"' }] }, "unknown_rules", '"settle"'],
  ])("with %s that this version does not know is refused", (_, change, code, naming) => {
    const bytes = encodeGenesis({ ...genesis, ...change } as Genesis);
    expect(() => decodeGenesis(bytes)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(naming) }),
    );
  });

  it("with limits that no space is made with is refused", () => {
    for (const change of [{ partitions: 0 }, { limits: { ...defaultLimits, conflicts: 0 } }]) {
      const bytes = encodeGenesis({ ...genesis, ...change });
      expect(() => decodeGenesis(bytes)).toThrow(expect.objectContaining({ code: "not_a_space" }));
    }
  });

  it("is told from any other record", () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from("{}"),
      codec.encodeIntent(submit),
      encodeGenesis(genesis).subarray(0, 99),
    ])
      expect(() => decodeGenesis(bytes)).toThrow(expect.objectContaining({ code: "not_a_space" }));
  });

  it("with another verdict schema, or one of a later version that cannot be read, is refused", () => {
    const schemas = genesis.schemas.map(({ kind, text }) =>
      kind === "verdict" ? { kind, text: '"int"' } : { kind, text },
    );
    expect(() => createCodec({ ...genesis, schemas }, sha256)).toThrow(
      expect.objectContaining({ code: "unknown_rules" }),
    );
  });

  it.each([
    [{ partitions: 0 }, "partitions"],
    [{ partitions: 1, limits: { window: 0 } }, "window"],
    [{ partitions: 1, limits: { window: 2 ** 24 } }, "window"],
    [{ partitions: 1, limits: { keyBytes: 513 } }, "keyBytes"],
    [{ partitions: 1, limits: { recordBytes: 2 ** 30 } }, "recordBytes"],
    [{ partitions: 1, limits: { verdictBytes: leastVerdictBytes(defaultLimits) - 1 } }, "verdictBytes"],
    [{ partitions: 1, limits: { effectBytes: defaultLimits.verdictBytes } }, "verdictBytes"],
    [{ partitions: 1, limits: { leaseMs: 0 } }, "leaseMs"],
    [{ partitions: 1, limits: { holds: -1 } }, "holds"],
    [{ partitions: 2, limits: { partitionKeys: 0 } }, "partitionKeys"],
  ])("is not made with %j", (options, naming) => {
    expect(() => createGenesis(options)).toThrow(
      expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(naming) }),
    );
  });
});

describe("fingerprints", () => {
  it("are Avro's own", () => {
    expect(crc64('"null"').readBigUInt64LE()).toBe(0x63dd24e7cc258f8an);
    expect(crc64('"int"').readBigUInt64LE()).toBe(0x7275d51a3f395c8fn);
  });
});
