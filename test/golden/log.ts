import { emptyIntent,
  createCodec,
  currentRules,
  currentSchemas,
  defaultLimits,
  encodeGenesis,
  prefixRange,
  sha256,
  toBytes,
  toKey,
  type AdmittedSchema,
  type Bytes,
  type Expire,
  type Genesis,
  type Hold,
  type Intent,
  type Submit,
} from "@seriatim/protocol";
import avro from "avsc";
import { decide, evolve, initialState } from "@seriatim/sequencer";
import { fingerprintOf } from "../../libs/protocol/src/fingerprint.ts";
import { intentToWire } from "../../libs/protocol/src/intent-wire.ts";

const space = "\x10".repeat(16) as Bytes;

/** The submit schema with a field that this version does not know, as a later one may write it. */
const laterSubmit = withField("submit", { name: "rank", type: "int", default: 0 });

function withField(kind: AdmittedSchema["kind"], field: object): AdmittedSchema {
  const text = currentSchemas().find((schema) => schema.kind === kind)?.text ?? "";
  const schema = JSON.parse(text) as { fields: object[] };
  return { kind, text: JSON.stringify({ ...schema, fields: [...schema.fields, field] }) };
}

/** A small window and small limits, so that a short log meets every rule. */
export const genesis: Genesis = {
  kind: "genesis",
  space,
  rules: currentRules,
  partitions: 1,
  limits: { ...defaultLimits, window: 8, conflicts: 2, writes: 3, valueBytes: 16, keyBytes: 32, nameBytes: 16, partitionKeys: 0, effectBytes: 16, holds: 2, leaseMs: 10_000 },
  schemas: [...currentSchemas(), laterSubmit],
};
export const codec = createCodec(genesis, sha256);

export function submit(id: string, parts: Partial<Submit>): Submit {
  return { ...emptyIntent, space, id, agent: "agent", ...parts };
}

function put(key: string, value: string, blind = false) {
  return { key: toKey(key), value: Buffer.from(value), blind };
}

function encodeLater(intent: Submit): Uint8Array {
  const type = avro.Type.forSchema(JSON.parse(laterSubmit.text) as avro.Schema);
  const header = Buffer.concat([Buffer.from([0xc3, 0x01]), fingerprintOf(type)]);
  return Buffer.concat([header, type.toBuffer({ ...intentToWire(intent), rank: 3 })]);
}

interface GoldenRecord {
  readonly what: string;
  readonly bytes: Uint8Array;
  /** Append time, in ms. */
  readonly time: number;
}

function record(what: string, content: Intent | Uint8Array, time = 1_000): GoldenRecord {
  return { what, bytes: content instanceof Uint8Array ? content : codec.encodeIntent(content), time };
}

const first = submit("first", { writes: [put("a/x", "1"), put("a/y", "2")], result: Buffer.from('"done"') });
const cancelled = { kind: "cancel", space, partition: 0, id: "given up", agent: "agent", snapshot: 4 } as const;

const hold: Hold = {
  kind: "hold",
  space,
  partition: 0,
  id: "booking",
  agent: "agent",
  snapshot: 17,
  attempt: "attempt 1",
  index: 0,
  name: "reserve",
  arguments: Buffer.from('{"seat":4}'),
  undo: "release",
  lease: 5_000,
  timeout: 1_000,
};
const expire: Expire = { kind: "expire", space, partition: 0, id: "booking", agent: "worker", snapshot: 18, hold: 19 };

/** A log that meets each outcome. The comment of a record is what it is there for. */
export const log: readonly GoldenRecord[] = [
  record("genesis", encodeGenesis(genesis)),
  record("commits", first),
  record("the same bytes again", first),
  record("the same id, other bytes", submit("first", { writes: [put("a/x", "9")] })),
  record("a point changed since", submit("point", { points: [{ key: toKey("a/x"), version: null }] })),
  record(
    "a write changed since, at snapshot level",
    submit("write", { isolation: "snapshot", writes: [put("a/y", "5")] }),
  ),
  record("cancels an id", cancelled, 3_000),
  record("the cancelled id", submit("given up", { snapshot: 4 })),
  record("keys changed inside a range", submit("range", { ranges: [prefixRange("a/")] })),
  record("the clock stepped back", submit("late", { snapshot: 4, validUntil: 3_000 }), 2_000),
  record("too far behind", submit("behind", {})),
  record("blind", submit("blind", { snapshot: 5, writes: [put("a/x", "7", true)] })),
  record("no snapshot of this log", submit("future", { snapshot: 99 })),
  record("a value over the limit", submit("large", { snapshot: 10, writes: [put("a/z", "12345678901234567")] })),
  record("not a record", Buffer.from('{"hello":"world"}')),
  record("a second genesis", encodeGenesis(genesis)),
  record(
    "written by a later version",
    encodeLater(submit("later", { snapshot: 12, writes: [put("ключ/\u{1F600}", "8")] })),
  ),
  record(
    "deletes",
    submit("delete", { snapshot: 16, writes: [{ key: toKey("a/x"), value: null, blind: false }] }),
  ),
  record(
    "an id forgotten, its snapshot above its first use",
    submit("first", {
      snapshot: 16,
      points: [{ key: toKey("ключ/\u{1F600}"), version: 16 }],
      ranges: [{ from: toBytes("b/"), to: toBytes("c/") }],
    }),
  ),
  record("holds", hold),
  record("the same hold again", hold),
  record("another's hold under the same id and index", { ...hold, attempt: "attempt 2" }),
  record("holds what nothing undoes", { ...hold, id: "posting", snapshot: 21, undo: null }),
  record("an expire before the deadline, which is at 8,000", expire),
  record("expires", expire, 8_000),
  record("the expired id", submit("booking", { snapshot: 18, holds: [19] }), 8_000),
  record("an expire again", { ...expire, agent: "another worker" }, 8_000),
  record(
    "commits with an effect, and confirms what it held",
    submit("posting", {
      snapshot: 21,
      effects: [{ name: "mail", lane: "post", arguments: Buffer.from('"thanks"') }],
      holds: [22],
    }),
    8_000,
  ),
  record("holds too late", { ...hold, id: "posting", index: 1, snapshot: 21 }, 8_000),
  record("an expire of nothing", { ...expire, id: "nothing", snapshot: 21, hold: 22 }, 8_000),
  record("leased for too long", { ...hold, id: "long", snapshot: 28, lease: 10_001 }, 8_000),
];

/** The verdict of each record of the log. */
export function verdicts(): Uint8Array[] {
  const state = initialState(genesis.limits.window);
  return log.map(({ bytes, time }, offset) => {
    const input = { offset, appendTime: time, bytes, digest: sha256(bytes) };
    const decision = decide({ genesis, codec }, 0, state.head, state, input);
    evolve(state, decision.verdict);
    return decision.bytes;
  });
}
