import { asBuffer } from "./buffers.ts";
import type { EffectAct, EffectRecord, EffectResult, EffectSide } from "./effects.ts";
import { Failure } from "./failure.ts";
import { bufferOf, bytesOf } from "./keys.ts";
import { headerOf, readerOf, schemas, type RecordReader } from "./schemas.ts";
import { effectRecordKinds, type Genesis } from "./types.ts";

/** Encodes and decodes the records of a space's effects log, by the schemas that its genesis admits. */
export interface EffectsCodec {
  /** @throws Failure `unknown_rules` when the genesis does not admit the schema that this version writes. */
  encode(record: EffectRecord): Uint8Array;
  /** Undefined when the record is torn, of another space, or of a schema that is not admitted: it says nothing then. */
  decode(bytes: Uint8Array): EffectRecord | undefined;
}

/** @throws Failure `unknown_rules` when this version cannot read what the genesis admits. */
export function createEffectsCodec(genesis: Genesis): EffectsCodec {
  const readers = new Map<string, RecordReader>();
  for (const { kind, text } of genesis.schemas) {
    const known = effectRecordKinds.find((each) => each === kind);
    if (known === undefined) continue;
    const reader = readerOf(schemas[known], text);
    readers.set(reader.header.toString("latin1"), reader);
  }
  return {
    encode(record) {
      const schema = schemas[record.kind];
      if (!readers.has(schema.header.toString("latin1")))
        throw new Failure(
          "unknown_rules",
          `the space does not admit the ${record.kind} schema that this version of Seriatim writes: run the version that the space was made with`,
        );
      return schema.encode(toWire(record));
    },

    decode(bytes) {
      const buffer = asBuffer(bytes);
      const reader = readers.get(headerOf(buffer) ?? "");
      const wire = reader?.read(buffer);
      if (reader === undefined || wire === undefined) return undefined;
      const record = fromWire(reader.schema.kind as EffectRecord["kind"], wire as WireRecord);
      return record.space === genesis.space ? record : undefined;
    },
  };
}

/** As `avsc` has them, the fields of all three. */
interface WireRecord {
  readonly space: Buffer;
  readonly partition: number;
  readonly offset: number;
  readonly index: number;
  readonly side: EffectSide;
  readonly arguments: Buffer;
  readonly attempt: number;
  readonly worker: string;
  readonly claim: number | null;
  readonly result: WireResult;
  readonly act: EffectAct;
  readonly who: string;
  readonly why: string;
}

type WireResult =
  | { readonly "seriatim.Done": { readonly result: Buffer | null } }
  | { readonly "seriatim.Again": { readonly error: string; readonly delay: number } }
  | { readonly "seriatim.Failed": { readonly error: string } }
  | { readonly "seriatim.Unknown": { readonly error: string } };

function toWire(record: EffectRecord): object {
  const { space, effect, arguments: digest, ...rest } = record;
  const wire = { ...rest, ...effect, space: bufferOf(space), arguments: bufferOf(digest) };
  return record.kind === "report" ? { ...wire, result: resultToWire(record.result) } : wire;
}

function resultToWire(result: EffectResult): WireResult {
  switch (result.kind) {
    case "done":
      return { "seriatim.Done": { result: result.result === null ? null : asBuffer(result.result) } };
    case "again":
      return { "seriatim.Again": { error: result.error, delay: result.delay } };
    case "failed":
      return { "seriatim.Failed": { error: result.error } };
    case "unknown":
      return { "seriatim.Unknown": { error: result.error } };
  }
}

function fromWire(kind: EffectRecord["kind"], wire: WireRecord): EffectRecord {
  const { partition, offset, index, side, attempt, worker, claim, act, who, why } = wire;
  const base = {
    space: bytesOf(wire.space),
    partition,
    effect: { offset, index, side },
    arguments: bytesOf(wire.arguments),
  };
  switch (kind) {
    case "claim":
      return { kind, ...base, attempt, worker };
    case "report":
      return { kind, ...base, claim, worker, result: resultFromWire(wire.result) };
    case "decision":
      return { kind, ...base, act, who, why };
  }
}

function resultFromWire(wire: WireResult): EffectResult {
  if ("seriatim.Done" in wire) return { kind: "done", ...wire["seriatim.Done"] };
  if ("seriatim.Again" in wire) return { kind: "again", ...wire["seriatim.Again"] };
  if ("seriatim.Failed" in wire) return { kind: "failed", ...wire["seriatim.Failed"] };
  return { kind: "unknown", ...wire["seriatim.Unknown"] };
}
