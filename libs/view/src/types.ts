import type { Digest, Key, Offset, Outcome, Position, RefusalCode, Verdict } from "@seriatim/protocol";

/** As a snapshot: the newest offset applied. */
export const newest: Offset = Number.MAX_SAFE_INTEGER;

/** How far the view has come in one partition. */
export interface ViewPosition extends Position {
  /** SHA-256 that the verdict at `offset` names for its intents record; zero bytes before the genesis. */
  readonly digest: Digest;
  /** Log time at `offset`, in ms since 1970; 0 before the genesis. */
  readonly time: number;
  /** The offset from which the verdicts log is to be read on. */
  readonly next: Offset;
  /** The highest offset of any verdict read. When it is above `offset`, verdicts in between are missing. */
  readonly seen: Offset;
  /** How many records of the verdicts log were read and not applied, repeats aside, since `offset` was applied. */
  readonly skipped: number;
}

/** One record as read from the verdicts log; `verdict` is undefined when it could not be read. */
export interface ReadVerdict {
  /** The record's offset in the verdicts log. */
  readonly at: Offset;
  readonly verdict: Verdict | undefined;
}

export interface FoldCounts {
  /** Verdicts at or below the position: answered before, the first one counts. */
  readonly repeats: number;
  /** Verdicts whose predecessor is not the position. */
  readonly gaps: number;
  /** Verdicts of another space or partition. */
  readonly foreign: number;
  readonly unreadable: number;
}

export interface FoldResult extends FoldCounts {
  readonly position: ViewPosition;
  readonly applied: readonly Verdict[];
}

/** A key and the version of its last write, which may have been a delete. */
export interface WrittenKey {
  readonly key: Key;
  readonly version: Offset;
}

/** A live key. */
export interface Entry extends WrittenKey {
  readonly value: Uint8Array;
}

export interface ScanOptions {
  /** At most so many entries. */
  readonly limit: number;
  /** From the highest key down. Default false. */
  readonly reverse?: boolean;
  /** Only what comes after this key, in the scan's direction: the last key of the page before. */
  readonly after?: Key;
}

export interface CountOptions {
  /** How many live keys of today to step over at most, so that a call takes a bounded time. */
  readonly limit: number;
  /** Only what comes after this key: the `last` of the call before. */
  readonly after?: Key;
}

export interface Counted {
  /** How many live entries there are up to `last`. */
  readonly entries: number;
  /** Where the count was cut off by its limit; missing when it came to the range's end. */
  readonly last?: Key;
}

export interface HistoryOptions {
  /** Default: all. */
  readonly limit?: number;
  /** Only versions below this one: the last version of the page before. */
  readonly before?: Offset;
}

/** One write of a key, and by which intent. */
export interface HistoryEntry {
  readonly partition: number;
  readonly version: Offset;
  /** Null when it was deleted. */
  readonly value: Uint8Array | null;
  readonly id: string | null;
  readonly agent: string | null;
  /** Log time at the version, in ms since 1970. */
  readonly time: number;
}

/** A verdict's outcome without what it wrote (`changes` has that), its effects and their arguments. */
export type DecidedOutcome =
  | { readonly kind: "genesis" }
  | { readonly kind: "committed"; readonly result: Uint8Array | null }
  | Omit<Extract<Outcome, { readonly kind: "held" }>, "arguments">
  | Extract<Outcome, { readonly kind: "refused" | "cancelled" | "expired" | "repeated" }>;

/** What was decided of one intents record. */
export interface Decision {
  readonly partition: number;
  readonly offset: Offset;
  /** Null where the record has none that could be read. */
  readonly id: string | null;
  readonly agent: string | null;
  /** Log time at the record, in ms since 1970. */
  readonly time: number;
  /** SHA-256 of the intents record. */
  readonly digest: Digest;
  readonly outcome: DecidedOutcome;
}

/** The record that claimed an id. */
export interface Claim {
  readonly offset: Offset;
  readonly digest: Digest;
  /** Whether it was a cancel or an expire. */
  readonly cancelled: boolean;
}

export interface RecentClaim extends Claim {
  readonly id: string;
}

/** A hold that stands, whatever has become of its id since. */
export interface HeldEffect {
  readonly offset: Offset;
  readonly index: number;
  readonly digest: Digest;
  /** Log time from which on it may be expired, in ms since 1970. */
  readonly deadline: number;
}

export interface RecentHold extends HeldEffect {
  readonly id: string;
}

/** What was decided in one partition so far. */
export interface Statistics {
  /** Intents records with a verdict, without the genesis. */
  readonly intents: number;
  readonly commits: number;
  /** Cancels that closed their id. */
  readonly cancels: number;
  /** Holds that stand or stood, and expires that closed an id. */
  readonly holds: number;
  readonly expired: number;
  /** Records that were answered before. */
  readonly repeated: number;
  readonly refusals: Readonly<Partial<Record<RefusalCode, number>>>;
}
