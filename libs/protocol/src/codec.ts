import { asBuffer } from "./buffers.ts";
import { Failure } from "./failure.ts";
import { currentRules, isGenesis } from "./genesis.ts";
import { bufferOf } from "./keys.ts";
import { headerOf, readerOf, schemas, type RecordReader } from "./schemas.ts";
import { intentFromWire, intentToWire } from "./intent-wire.ts";
import { intentKinds, type IntentKind } from "./types.ts";
import type { Digest, Genesis, Hash, Intent, InvalidReason, RecordKind, Verdict } from "./types.ts";
import { verdictFromWire, verdictToWire, type WireVerdict } from "./wire.ts";

/** What an intents record holds, as far as it can be read under the genesis. */
export type DecodedRecord =
  Intent | { readonly kind: "genesis" } | { readonly kind: "invalid"; readonly reason: InvalidReason };

export interface EncodedVerdict {
  readonly bytes: Uint8Array;
  readonly chain: Digest;
}

/** Encodes and decodes the records of one space, by the schemas that its genesis admits. Synchronous and pure. */
export interface RecordCodec {
  readonly genesis: Genesis;
  /** @throws Failure `unknown_rules` when the genesis does not admit the schema that this version writes. */
  encodeIntent(intent: Intent): Uint8Array;
  decodeIntent(bytes: Uint8Array): DecodedRecord;
  encodeVerdict(verdict: Omit<Verdict, "chain">): EncodedVerdict;
  /** Undefined when the record is torn, foreign, or its chain hash is not that of its bytes. */
  decodeVerdict(bytes: Uint8Array): Verdict | undefined;
}

const chainBytes = 32;

/**
 * The codec of a space.
 * @throws Failure `unknown_rules` when this version cannot read what the genesis admits, or would write verdicts in
 *   another schema than the one admitted: its verdicts would differ from the next sequencer's.
 */
export function createCodec(genesis: Genesis, hash: Hash): RecordCodec {
  const intents = intentReaders(genesis);
  const verdicts = verdictReader(genesis);

  return {
    genesis,

    encodeIntent(intent) {
      const schema = schemas[intent.kind];
      if (!intents.has(schema.header.toString("latin1"))) throw notAdmitted(intent.kind);
      return schema.encode(intentToWire(intent));
    },

    decodeIntent(bytes) {
      const buffer = asBuffer(bytes);
      const header = headerOf(buffer);
      if (header === undefined) return { kind: "invalid", reason: "not_a_record" };
      if (isGenesis(buffer)) return { kind: "genesis" };
      const admitted = intents.get(header);
      if (admitted === undefined) return { kind: "invalid", reason: "schema_not_admitted" };
      const wire = admitted.reader.read(buffer);
      if (wire === undefined) return { kind: "invalid", reason: "undecodable" };
      return intentFromWire(admitted.kind, wire);
    },

    encodeVerdict(verdict) {
      const bytes = schemas.verdict.encode(verdictToWire(verdict));
      const chain = hash(bytes.subarray(0, bytes.length - chainBytes));
      bufferOf(chain).copy(bytes, bytes.length - chainBytes);
      return { bytes, chain };
    },

    decodeVerdict(bytes) {
      const buffer = asBuffer(bytes);
      if (headerOf(buffer) !== verdicts.header.toString("latin1")) return undefined;
      const wire = verdicts.read(buffer) as WireVerdict | undefined;
      if (wire === undefined) return undefined;
      const verdict = verdictFromWire(wire);
      return verdict.chain === hash(buffer.subarray(0, buffer.length - chainBytes)) ? verdict : undefined;
    },
  };
}

interface IntentReader {
  readonly kind: IntentKind;
  readonly reader: RecordReader;
}

/** By the header of the schema that they read. */
function intentReaders(genesis: Genesis): ReadonlyMap<string, IntentReader> {
  const readers = new Map<string, IntentReader>();
  for (const kind of intentKinds)
    for (const admitted of genesis.schemas) {
      if (admitted.kind !== kind) continue;
      const reader = readerOf(schemas[kind], admitted.text);
      readers.set(reader.header.toString("latin1"), { kind, reader });
    }
  return readers;
}

function verdictReader(genesis: Genesis): RecordReader {
  const admitted = genesis.schemas.filter(({ kind }) => kind === "verdict");
  const [only] = admitted;
  if (only === undefined || admitted.length > 1)
    throw new Failure(
      "unknown_rules",
      `the genesis admits ${admitted.length} verdict schemas; rules ${currentRules} have exactly one`,
    );
  const reader = readerOf(schemas.verdict, only.text);
  if (!reader.header.equals(schemas.verdict.header)) throw notAdmitted("verdict");
  return reader;
}

function notAdmitted(kind: RecordKind): Failure {
  return new Failure(
    "unknown_rules",
    `the space does not admit the ${kind} schema that this version of Seriatim writes: run the version that the space was made with`,
  );
}
