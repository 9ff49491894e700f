import {
  bufferOf,
  type Cancel,
  type Conflict,
  type Digest,
  type Outcome,
  type Point,
  type Submit,
  type Write,
} from "@seriatim/protocol";
import type { EffectItem, IntentItem, VerdictItem } from "../space/items.ts";
import { keyTextOf, textOf } from "./text-bytes.ts";
import type { OutcomeText, RecordLine, TransactionLine } from "./lines.ts";

/** What can become of a submit or cancel. */
export type DecidedOutcome = Exclude<Outcome, { readonly kind: "genesis" | "held" | "expired" }>;

export function intentRecordLine({ partition, offset, time, bytes }: IntentItem): RecordLine {
  return { log: "intents", partition, offset, time, record: base64(bytes) };
}

export function verdictRecordLine({ partition, at, bytes }: VerdictItem): RecordLine {
  return { log: "verdicts", partition, offset: at, time: 0, record: base64(bytes) };
}

export function effectRecordLine({ partition, at, bytes }: EffectItem): RecordLine {
  return { log: "effects", partition, offset: at, time: 0, record: base64(bytes) };
}

/** @param decided undefined while it is undecided */
export function transactionLine(
  { partition, offset, time }: IntentItem,
  intent: Submit | Cancel,
  decided: { readonly outcome: DecidedOutcome; readonly chain: Digest | undefined } | undefined,
): TransactionLine {
  const { id, agent, snapshot } = intent;
  return {
    ...(partition === 0 ? {} : { partition }),
    offset,
    time,
    id,
    agent,
    snapshot,
    ...(intent.kind === "cancel" ? { cancel: true as const } : submitFields(intent)),
    ...(decided === undefined ? {} : { outcome: outcomeText(decided.outcome) }),
    ...(decided?.chain === undefined ? {} : { chain: bufferOf(decided.chain).toString("base64") }),
  };
}

function submitFields(intent: Submit): Partial<TransactionLine> {
  const { isolation, points, ranges, writes, effects, holds, validFrom, validUntil, result } = intent;
  return {
    ...(isolation === "serializable" ? {} : { isolation }),
    ...(points.length === 0 ? {} : { points: points.map(pointText) }),
    ...(ranges.length === 0 ? {} : { ranges: ranges.map(({ from, to }) => [keyTextOf(from), keyTextOf(to)] as const) }),
    ...(writes.length === 0 ? {} : { writes: writes.map(writeText) }),
    ...(effects.length === 0
      ? {}
      : { effects: effects.map((effect) => [effect.name, effect.lane, textOf(effect.arguments)] as const) }),
    ...(holds.length === 0 ? {} : { holds }),
    ...(validFrom === null ? {} : { validFrom }),
    ...(validUntil === null ? {} : { validUntil }),
    ...(result === null ? {} : { result: textOf(result) }),
  };
}

function pointText({ key, version }: Point) {
  return [keyTextOf(key), version] as const;
}

function writeText({ key, value, blind }: Write) {
  const text = value === null ? null : textOf(value);
  return blind ? ([keyTextOf(key), text, true] as const) : ([keyTextOf(key), text] as const);
}

function outcomeText(outcome: DecidedOutcome): OutcomeText {
  switch (outcome.kind) {
    case "committed":
      return "committed";
    case "cancelled":
      return "cancelled";
    case "repeated":
      return { repeated: outcome.first };
    case "refused": {
      const { code, reason, conflicts, first } = outcome;
      return {
        refused: code,
        ...(reason === null ? {} : { reason }),
        ...(conflicts.length === 0 ? {} : { conflicts: conflicts.map(conflictText) }),
        ...(first === null ? {} : { first }),
      };
    }
  }
}

function conflictText({ kind, key, version }: Conflict) {
  return [kind, keyTextOf(key), version] as const;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
