import { isDeepStrictEqual } from "node:util";
import { fromBytes, type Offset, type Outcome, type RecordCodec } from "@seriatim/protocol";
import type { DecidedRecord } from "../audit/decided.ts";
import type { Objections } from "../audit/objections.ts";
import { Deriver } from "./deriver.ts";

export interface DecisionCounts {
  /** Verdicts derived anew. */
  derived: number;
  /** Verdicts that rest on what stands below the slice, and were taken as they are. */
  passed: number;
}

/** Holds the verdicts of one partition against those that the rules give. */
export class DecisionCheck {
  readonly counts: DecisionCounts = { derived: 0, passed: 0 };
  readonly #deriver: Deriver;
  readonly #start: Offset;
  readonly #objections: Objections;

  /** @param start where the log is read from: 0 for all of it. */
  constructor(codec: RecordCodec, start: Offset, objections: Objections) {
    this.#start = start;
    this.#deriver = new Deriver(codec, start);
    this.#objections = objections;
  }

  take({ partition, offset, time, id, intent, outcome }: DecidedRecord): void {
    if (intent === undefined || outcome === undefined) return;
    const expected = isOfEarlier(outcome, this.#start) ? undefined : this.#deriver.outcomeOf(intent, time);
    this.#deriver.follow(intent, { id, outcome });
    if (expected === undefined) {
      this.counts.passed += 1;
      return;
    }
    this.counts.derived += 1;
    if (isSame(expected, outcome)) return;
    const message = `the rules give ${offset} the verdict ${text(expected)}, and it has ${text(outcome)}`;
    this.#objections.add("decision", partition, offset, message);
  }
}

/** Whether the outcome names a decision that stands below the start. */
function isOfEarlier(outcome: Outcome, start: Offset): boolean {
  return (outcome.kind === "repeated" || outcome.kind === "refused") && outcome.first !== null && outcome.first < start;
}

function isSame(expected: Outcome, found: Outcome): boolean {
  // Without the class of the bytes: a Buffer and a Uint8Array may hold the same.
  return isDeepStrictEqual(plain(expected), plain(found));
}

function plain(outcome: Outcome): unknown {
  switch (outcome.kind) {
    case "genesis":
      return { kind: outcome.kind, genesis: bytesText(outcome.genesis) };
    case "committed":
      return {
        kind: outcome.kind,
        writes: outcome.writes.map(({ key, value }) => [key, bytesText(value)]),
        effects: outcome.effects.map((effect) => [effect.name, effect.lane, bytesText(effect.arguments)]),
        holds: [...outcome.holds],
        result: bytesText(outcome.result),
      };
    case "held":
      return { ...outcome, arguments: bytesText(outcome.arguments) };
    case "refused":
    case "cancelled":
    case "expired":
    case "repeated":
      return { ...outcome };
  }
}

function bytesText(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString("latin1");
}

function text(outcome: Outcome): string {
  switch (outcome.kind) {
    case "genesis":
    case "cancelled":
    case "expired":
      return outcome.kind;
    case "held":
      return `held until ${outcome.deadline}`;
    case "committed":
      return `committed, with ${outcome.writes.length} writes`;
    case "repeated":
      return `repeated, of ${outcome.first}`;
    case "refused": {
      const { code, reason, conflicts, first } = outcome;
      const named = conflicts.map(
        ({ kind, key, version }) => `${kind} ${JSON.stringify(fromBytes(key))} at ${version}`,
      );
      const details = [...(reason === null ? [] : [reason]), ...named, ...(first === null ? [] : [`first ${first}`])];
      return `refused ${code}${details.length === 0 ? "" : ` (${details.join(", ")})`}`;
    }
  }
}
