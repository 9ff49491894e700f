/*
 * Lines of an export, read. Anybody may have written or damaged them: nothing is believed before it is looked at, and
 * what is of another form than docs/export.md says is a broken item, never an exception.
 */
import {
  bytesOf,
  createEffectsCodec,
  isolations,
  type Bytes,
  type Cancel,
  type Conflict,
  type Digest,
  type Effect,
  type Hash,
  type InvalidReason,
  type Isolation,
  type KeyRange,
  type Outcome,
  type Point,
  type RecordCodec,
  type RefusalCode,
  type Submit,
  type Write,
  invalidReasons,
  refusalCodes,
} from "@seriatim/protocol";
import { committed } from "../audit/draft.ts";
import { effectItem, intentItem, verdictItem, type BrokenItem, type Item } from "../space/items.ts";

import { LineIntent } from "./line-intent.ts";
import {
  bytesEntry,
  type Fields,
  keyEntry,
  LineFault,
  listField,
  textField,
  versionEntry,
  wholeField,
  wholesField,
} from "./fields.ts";
import { fromBase64 } from "./text-bytes.ts";

export interface LineContext {
  readonly codec: RecordCodec;
  readonly hash: Hash;
  readonly hasGenesis: boolean;
}

export function itemOf(line: unknown, context: LineContext): Item {
  if (typeof line !== "object" || line === null) return broken({}, "it is no object");
  const fields = line as Fields;
  try {
    checkNames(fields);
    return "record" in fields ? recordItem(fields, context) : transactionItem(fields, context);
  } catch (error) {
    if (error instanceof LineFault) return broken(fields, error.message);
    throw error;
  }
}

const recordNames = ["log", "partition", "offset", "time", "record"];
const transactionNames =
  "partition offset time id agent snapshot cancel isolation points ranges writes effects holds validFrom validUntil " +
  "result outcome chain";
const names: ReadonlySet<string> = new Set([...recordNames, ...transactionNames.split(" ")]);

/** A name that is not known may be a damaged one, and what it says would be passed over. */
function checkNames(fields: Fields): void {
  for (const name of Object.keys(fields))
    if (!names.has(name)) throw new LineFault(`it has a field ${JSON.stringify(name)}, which no line has`);
}

function broken(fields: Fields, what: string): BrokenItem {
  const [partition = null, offset = null] = [fields["partition"] ?? 0, fields["offset"]].map((value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
  );
  return { kind: "broken", partition, offset, message: `a line of the export is damaged: ${what}` };
}

function recordItem(fields: Fields, { codec, hash }: LineContext): Item {
  const partition = wholeField(fields, "partition", 0);
  const stored = {
    offset: wholeField(fields, "offset"),
    time: wholeField(fields, "time", 0),
    value: fromBase64(textField(fields, "record")),
  };
  const { offset, time, value } = stored;
  if (value === undefined) throw new LineFault("record is not base64");
  switch (fields["log"]) {
    case "intents":
      return intentItem(codec, hash, partition, { offset, time, value });
    case "verdicts":
      return verdictItem(codec, partition, { offset, time, value });
    case "effects":
      return effectItem(createEffectsCodec(codec.genesis), partition, { offset, time, value });
    default:
      throw new LineFault("log is none of intents, verdicts and effects");
  }
}

function transactionItem(fields: Fields, context: LineContext): Item {
  const partition = wholeField(fields, "partition", 0);
  const record = intentOf(fields, partition, context.codec.genesis.space);
  const intent = new LineIntent(wholeField(fields, "offset"), wholeField(fields, "time", 0), record, context);
  const { outcome: said, chain: hash } = fields;
  if (said === undefined) return intent;
  const outcome = outcomeOf(said, record);
  return { kind: "decided", partition, intent, outcome, chain: context.hasGenesis ? chainOf(hash) : undefined };
}

function chainOf(text: unknown): Digest | undefined {
  if (text === undefined) return undefined;
  const digest = typeof text === "string" ? digestOf(text) : undefined;
  if (digest === undefined) throw new LineFault("chain is not the base64 of 32 bytes");
  return digest;
}

/** Undefined when it is not the base64 of 32 bytes. */
export function digestOf(text: string): Digest | undefined {
  const buffer = fromBase64(text);
  return buffer?.length === 32 ? bytesOf(buffer) : undefined;
}

function intentOf(fields: Fields, partition: number, space: Bytes): Submit | Cancel {
  const address = {
    space,
    partition,
    id: textField(fields, "id"),
    agent: textField(fields, "agent"),
    snapshot: wholeField(fields, "snapshot", undefined, -1),
  };
  if (fields["cancel"] === true) return { kind: "cancel", ...address };
  const { isolation = "serializable", result } = fields;
  if (!isolations.includes(isolation as Isolation)) throw new LineFault("isolation is no level");
  return {
    kind: "submit",
    ...address,
    isolation: isolation as Isolation,
    points: listField(fields, "points", pointOf),
    ranges: listField(fields, "ranges", rangeOf),
    writes: listField(fields, "writes", writeOf),
    effects: listField(fields, "effects", effectOf),
    holds: wholesField(fields, "holds"),
    validFrom: fields["validFrom"] === undefined ? null : wholeField(fields, "validFrom"),
    validUntil: fields["validUntil"] === undefined ? null : wholeField(fields, "validUntil"),
    result: result === undefined ? null : bytesEntry(result, "result"),
  };
}

function pointOf(entry: readonly unknown[]): Point {
  return { key: keyEntry(entry[0], "points"), version: entry[1] === null ? null : versionEntry(entry[1], "points") };
}

function rangeOf(entry: readonly unknown[]): KeyRange {
  return { from: keyEntry(entry[0], "ranges"), to: keyEntry(entry[1], "ranges") };
}

function writeOf(entry: readonly unknown[]): Write {
  const value = entry[1] === null ? null : bytesEntry(entry[1], "writes");
  return { key: keyEntry(entry[0], "writes"), value, blind: entry[2] === true };
}

function effectOf([name, lane, args]: readonly unknown[]): Effect {
  if (typeof name !== "string" || typeof lane !== "string")
    throw new LineFault("effects has an entry without its name");
  return { name, lane, arguments: bytesEntry(args, "effects") };
}

function outcomeOf(said: unknown, intent: Submit | Cancel): Outcome {
  if (said === "committed") {
    if (intent.kind === "submit") return committed(intent);
    throw new LineFault("a cancel cannot be committed");
  }
  if (said === "cancelled") return { kind: "cancelled" };
  if (typeof said !== "object" || said === null) throw new LineFault("outcome is none");
  const fields = said as Fields;
  if ("repeated" in fields) return { kind: "repeated", first: wholeField(fields, "repeated") };
  const { refused: code, reason = null } = fields;
  if (!refusalCodes.includes(code as RefusalCode)) throw new LineFault("outcome.refused is no code");
  if (reason !== null && !invalidReasons.includes(reason as InvalidReason))
    throw new LineFault("outcome.reason is none");
  return {
    kind: "refused",
    code: code as RefusalCode,
    reason: reason as InvalidReason | null,
    conflicts: listField(fields, "conflicts", conflictOf),
    first: fields["first"] === undefined ? null : wholeField(fields, "first"),
  };
}

function conflictOf([kind, name, version]: readonly unknown[]): Conflict {
  if (kind !== "point" && kind !== "range" && kind !== "write") throw new LineFault("outcome.conflicts has no kind");
  return { kind, key: keyEntry(name, "outcome.conflicts"), version: versionEntry(version, "outcome.conflicts") };
}
