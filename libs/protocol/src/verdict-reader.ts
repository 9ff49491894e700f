import { readBytes, readEffect, readLong, readText, spaceBytes } from "./submit-reader.ts";
import { conflictKinds, type AppliedWrite, type Conflict, type Outcome, type Verdict } from "./types.ts";
import type { InvalidReason, RefusalCode } from "./types.ts";
import type { WireReader } from "./wire-reader.ts";

/** Of a SHA-256. */
const digestBytes = 32;

/** A verdict, as its one schema has it. Its chain hash is not verified. */
export function readVerdict(reader: WireReader): Verdict {
  return {
    space: reader.fixed(spaceBytes),
    partition: reader.int(),
    offset: reader.long(),
    predecessor: { offset: reader.long(), chain: reader.fixed(digestBytes) },
    digest: reader.fixed(digestBytes),
    id: reader.optional(readText),
    agent: reader.optional(readText),
    time: reader.long(),
    outcome: reader.symbol(outcomes)(reader),
    chain: reader.fixed(digestBytes),
  };
}

/** In the order of the schema's union. */
const outcomes: readonly ((reader: WireReader) => Outcome)[] = [
  (reader) => ({ kind: "genesis", genesis: reader.bytes() }),
  (reader) => ({
    kind: "committed",
    writes: reader.array(readWrite),
    effects: reader.array(readEffect),
    holds: reader.array(readLong),
    result: reader.optional(readBytes),
  }),
  readRefused,
  () => ({ kind: "cancelled" }),
  (reader) => ({
    kind: "held",
    index: reader.int(),
    name: reader.text(),
    arguments: reader.bytes(),
    undo: reader.optional(readText),
    deadline: reader.long(),
    timeout: reader.long(),
  }),
  () => ({ kind: "expired" }),
  (reader) => ({ kind: "repeated", first: reader.long() }),
];

function readRefused(reader: WireReader): Outcome {
  const code = reader.text() as RefusalCode;
  const reason = reader.optional(readText) as InvalidReason | null;
  const conflicts = reader.array(readConflict);
  return { kind: "refused", code, reason, first: reader.optional(readLong), conflicts };
}

function readWrite(reader: WireReader): AppliedWrite {
  return { key: reader.key(), value: reader.optional(readBytes) };
}

function readConflict(reader: WireReader): Conflict {
  return { kind: reader.symbol(conflictKinds), key: reader.key(), version: reader.long() };
}
