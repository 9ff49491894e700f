import type { ConflictKind, InvalidReason, Isolation, RefusalCode } from "@seriatim/protocol";
import type { LogName } from "../space/source.ts";
import type { TextBytes } from "./text-bytes.ts";

/*
 * The lines of an export; docs/export.md explains them. Fields with `?` may be left out, and then have the value said
 * there.
 */

export const exportVersion = 1;

/** The first line. */
export interface HeaderLine {
  readonly seriatim: "export";
  readonly version: typeof exportVersion;
  /** What was exported, for people. */
  readonly source?: string;
  /** Which logs were read. Default intents and verdicts. */
  readonly logs?: readonly LogName[];
  /** The space's genesis, in base64. Without it chain hashes are not checked. */
  readonly genesis?: string;
  /** The offset from which each partition was read, by its number. Default 0 for partition 0 only. */
  readonly starts?: Readonly<Record<string, number>>;
}

/** A submit or cancel, with its verdict if there is one. Holds and expires stand as they are in their log. */
export interface TransactionLine {
  /** Default 0. */
  readonly partition?: number;
  readonly offset: number;
  /** When the log appended it, in ms since 1970. Default 0. */
  readonly time?: number;
  readonly id: string;
  readonly agent: string;
  readonly snapshot: number;
  /** It closes an id, and has none of the fields from `isolation` to `result`. */
  readonly cancel?: true;
  /** Default serializable. */
  readonly isolation?: Isolation;
  /** Key and version seen, null where there was none. Lists default to empty ones. */
  readonly points?: readonly (readonly [key: TextBytes, version: number | null])[];
  /** From, and up to but not including. */
  readonly ranges?: readonly (readonly [from: TextBytes, to: TextBytes])[];
  /** The value is null for a delete; a blind write says true. */
  readonly writes?: readonly (readonly [key: TextBytes, value: TextBytes | null, blind?: boolean])[];
  readonly effects?: readonly (readonly [name: string, lane: string, args: TextBytes])[];
  /** Offsets of the holds that it confirms. */
  readonly holds?: readonly number[];
  readonly validFrom?: number;
  readonly validUntil?: number;
  readonly result?: TextBytes;
  /** Left out while it is undecided. */
  readonly outcome?: OutcomeText;
  /** The verdict's chain hash in base64. Left out by whoever has none. */
  readonly chain?: string;
}

export type OutcomeText =
  | "committed"
  | "cancelled"
  | { readonly repeated: number }
  | {
      readonly refused: RefusalCode;
      readonly reason?: InvalidReason;
      readonly conflicts?: readonly (readonly [kind: ConflictKind, key: TextBytes, version: number])[];
      readonly first?: number;
    };

/** A record as it stands in a log, where a transaction line would not say all of it. */
export interface RecordLine {
  readonly log: LogName;
  readonly partition: number;
  readonly offset: number;
  readonly time: number;
  /** In base64. */
  readonly record: string;
}
