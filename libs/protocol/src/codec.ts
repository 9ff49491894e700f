import { asBuffer } from "./buffers.ts";
import { Failure } from "./failure.ts";
import { currentRules, isGenesis } from "./genesis.ts";
import { headerBytes, headerOf, readerOf, schemas, type RecordReader } from "./schemas.ts";
import { intentFromWire, intentToWire } from "./intent-wire.ts";
import { readSubmit } from "./submit-reader.ts";
import { intentKinds, type IntentKind } from "./types.ts";
import type { Digest, Genesis, Hash, Intent, InvalidReason, RecordKind, Verdict } from "./types.ts";
import { readVerdict } from "./verdict-reader.ts";
import { writeVerdict } from "./verdict-writer.ts";
import { readRecord } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

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
  const admitsToday = intents.get(headerTextOf(schemas.submit)) === readToday;
  checkVerdicts(genesis);
  const writer = new WireWriter();

  return {
    genesis,

    encodeIntent(intent) {
      const schema = schemas[intent.kind];
      if (!intents.has(schema.header.toString("latin1"))) throw notAdmitted(intent.kind);
      return schema.encode(intentToWire(intent));
    },

    decodeIntent(bytes) {
      const buffer = asBuffer(bytes);
      if (admitsToday && hasHeader(buffer, schemas.submit)) return readToday(buffer) ?? undecodable;
      const header = headerOf(buffer);
      if (header === undefined) return { kind: "invalid", reason: "not_a_record" };
      const read = intents.get(header);
      if (read !== undefined) return read(buffer) ?? undecodable;
      return isGenesis(buffer) ? { kind: "genesis" } : { kind: "invalid", reason: "schema_not_admitted" };
    },

    encodeVerdict(verdict) {
      writer.begin(schemas.verdict.header);
      writeVerdict(writer, verdict);
      const chain = hash(writer.written);
      writer.fixed(chain);
      return { bytes: writer.copy(), chain };
    },

    decodeVerdict(bytes) {
      const buffer = asBuffer(bytes);
      if (!hasHeader(buffer, schemas.verdict)) return undefined;
      const verdict = readRecord(buffer, headerBytes, readVerdict);
      if (verdict === undefined) return undefined;
      return verdict.chain === hash(buffer.subarray(0, buffer.length - chainBytes)) ? verdict : undefined;
    },
  };
}

const undecodable: DecodedRecord = { kind: "invalid", reason: "undecodable" };

function hasHeader(bytes: Buffer, { header }: { readonly header: Buffer }): boolean {
  for (let at = 0; at < headerBytes; at += 1) if (bytes[at] !== header[at]) return false;
  return true;
}

/** Undefined for what is not of its schema. */
type IntentReader = (bytes: Buffer) => Intent | undefined;

/** By the header of the schema that they read. */
function intentReaders(genesis: Genesis): ReadonlyMap<string, IntentReader> {
  const readers = new Map<string, IntentReader>();
  for (const kind of intentKinds)
    for (const admitted of genesis.schemas) {
      if (admitted.kind !== kind) continue;
      const reader = readerOf(schemas[kind], admitted.text);
      const header = headerTextOf(reader);
      readers.set(header, header === headerTextOf(schemas.submit) ? readToday : byAvro(kind, reader));
    }
  return readers;
}

/** A submit of today's schema: nearly all that is read. */
function readToday(bytes: Buffer): Intent | undefined {
  return readRecord(bytes, headerBytes, readSubmit);
}

function byAvro(kind: IntentKind, reader: RecordReader): IntentReader {
  return (bytes) => {
    const wire = reader.read(bytes);
    return wire === undefined ? undefined : intentFromWire(kind, wire);
  };
}

function headerTextOf({ header }: { readonly header: Buffer }): string {
  return header.toString("latin1");
}

function checkVerdicts(genesis: Genesis): void {
  const admitted = genesis.schemas.filter(({ kind }) => kind === "verdict");
  const [only] = admitted;
  if (only === undefined || admitted.length > 1)
    throw new Failure(
      "unknown_rules",
      `the genesis admits ${admitted.length} verdict schemas; rules ${currentRules} have exactly one`,
    );
  const reader = readerOf(schemas.verdict, only.text);
  if (!reader.header.equals(schemas.verdict.header)) throw notAdmitted("verdict");
}

function notAdmitted(kind: RecordKind): Failure {
  return new Failure(
    "unknown_rules",
    `the space does not admit the ${kind} schema that this version of Seriatim writes: run the version that the space was made with`,
  );
}
