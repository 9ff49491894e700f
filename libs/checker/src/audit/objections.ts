import type { Offset } from "@seriatim/protocol";

/** What the audit objects to. Part of the command's contract. */
export const objectionNames = [
  /** A record that is none: torn, of another space or partition, or no line of an export. */
  "audit:record",
  /** Intents that do not rise in offset. */
  "audit:order",
  /** An intents record without a verdict though later ones have one, or a verdict without its record. */
  "audit:gap",
  /** A verdict that was altered, or was made upon another history than the one before it. */
  "audit:chain",
  /** The chain hash given with `--head` is not in the log: its end is missing, or it is another log. */
  "audit:head",
  /** A verdict made for other bytes than stand in the intents log. */
  "audit:digest",
  /** Two different verdicts at one offset, or a version named that cannot be. */
  "audit:version",
  /** A verdict whose time is not the highest append time so far. */
  "audit:time",
  /** An id decided twice, or an earlier decision named that was none. */
  "audit:id",
  /** An outcome that the record cannot have, or that another intent is named with. */
  "audit:outcome",
  /** A committed verdict that does not repeat the writes and the result of its intent. */
  "audit:writes",
  /** An effect that no commit asked for, or that has two keys, or an outcome that it cannot have. */
  "audit:effect",
  /** Another verdict than the rules give. Found with `--decisions`. */
  "decision",
] as const;
export type ObjectionName = (typeof objectionNames)[number];

export interface Objection {
  readonly name: ObjectionName;
  readonly partition: number | null;
  /** Of the intents record concerned; null where there is none. */
  readonly offset: Offset | null;
  /** A sentence. */
  readonly message: string;
}

const mostKept = 20;

/** Counts objections and keeps the first of each name: what breaks one record may break all that follow. */
export class Objections {
  readonly counts = new Map<ObjectionName, number>();
  readonly kept: Objection[] = [];

  add(name: ObjectionName, partition: number | null, offset: Offset | null, message: string): void {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    if (count <= mostKept) this.kept.push({ name, partition, offset, message });
  }
}
