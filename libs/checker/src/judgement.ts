import type { Isolation, KeyRange, Offset } from "@seriatim/protocol";
import type { History, HistoryTransaction } from "./history.ts";

/** `undecided` wherever the history does not say enough; never `holds` then. */
export type Answer = "holds" | "violated" | "undecided";

/** What a history is held against. The last four only on request; they hold a history to more than the first three. */
export const conditions = [
  "serializable",
  /** With the order of the log as the one order. */
  "serializable_in_log_order",
  "snapshot_isolation",
  /** Each transaction to the level that it claimed. */
  "claims",
  "strong_session_serializable",
  "strong_session_snapshot_isolation",
  "strict_serializable",
  "strong_snapshot_isolation",
] as const;
export type Condition = (typeof conditions)[number];

export interface Finding {
  readonly answer: Answer;
  /** Why, where no cycle or read of the judgement shows it: a sentence. */
  readonly reason: string | null;
}

/**
 * What can be wrong with a history, and what is counted of it: for the G-names, components of the graph that hold such
 * a cycle (Adya); for reads, reads; for the others, as said.
 */
export const anomalies = [
  /** A read of what nobody wrote. */
  "thin_air",
  /** A read of what an aborted transaction wrote. */
  "G1a",
  /** A read of what its writer overwrote itself. */
  "G1b",
  /** A read that does not show the transaction's own write or earlier read. */
  "internal",
  /** Two reads that no one order of a key's versions explains. */
  "incompatible_order",
  /** A cycle of overwrites. */
  "G0",
  /** A cycle of overwrites and reads of what was written. */
  "G1c",
  /** A cycle with exactly one read of what was overwritten. */
  "G-single",
  /** A cycle with several such reads, none of them of a range or predicate. */
  "G2-item",
  /** A cycle with several such reads, or with one of a range or predicate. */
  "G2",
  /** Transactions that overwrote a version that they had not read, after reading the one before it. */
  "lost_update",
  /** Pairs of transactions, each of which read what the other overwrote, without a common write. */
  "write_skew",
  /** Pairs of readers that saw two writers' writes in opposite orders. */
  "long_fork",
  /** Transactions that rest on an overwritten version, and write nothing or elsewhere. Needs a log. */
  "stale_decision",
] as const;
export type Anomaly = (typeof anomalies)[number];

/** A version: its offset in a log, its value in a foreign history, null where there was none. */
export type VersionName = Offset | string | null;

export type DependencyKind =
  /** `from` wrote `before`, `to` the version that follows it, `after`. */
  | "ww"
  /** `from` wrote `before`, `to` read it. */
  | "wr"
  /** `from` read `before`, `to` wrote the version that follows it, `after`. */
  | "rw"
  /** `from` came before `to` in their session. */
  | "session"
  /** `from` had ended when `to` began. */
  | "time";

export interface Dependency {
  readonly kind: DependencyKind;
  /** Text, not bytes. Null for `session` and `time`. */
  readonly key: string | null;
  /** The range through which `key` was read, for `wr` and `rw`; null when it was read by itself. */
  readonly range: KeyRange | null;
  /** The foreign predicate through which `key` was read. */
  readonly predicate: string | null;
  /** Null also where a range was read that had a version of the key which is not known. */
  readonly before: VersionName;
  readonly after: VersionName;
  /** What the later write did to the key: with `ww` and `rw`, `to`'s; with `wr`, `from`'s. */
  readonly change: "insert" | "update" | "delete" | null;
  /** The history does not state this order of two writes: the other one would contradict what it does state. */
  readonly inferred: boolean;
}

/** `dependencies[i]` leads from `transactions[i]` to the next, the last one back to the first. */
export interface Cycle {
  readonly anomaly: Anomaly;
  readonly transactions: readonly HistoryTransaction[];
  readonly dependencies: readonly Dependency[];
  /** How many transactions are in its strongly connected component. */
  readonly component: number;
  /** Whether no shorter cycle of its kind is in the component; false when the search was cut short. */
  readonly minimal: boolean;
}

/** A read that no order of the transactions explains. */
export interface BadRead {
  readonly anomaly: "thin_air" | "G1a" | "G1b" | "internal" | "incompatible_order";
  readonly reader: HistoryTransaction;
  /** Who wrote it, where somebody did. */
  readonly writer: HistoryTransaction | null;
  readonly key: string;
  readonly version: VersionName;
}

/** Of the committed transactions that claimed a level: the sources of what broke it are the broken ones. */
export interface Claim {
  readonly isolation: Isolation;
  readonly claimed: number;
  readonly broken: number;
  /** The first few that are broken. */
  readonly examples: readonly HistoryTransaction[];
}

/** The levels of a history: L1 no stale generation, L2 no causal cascade, L3 lanes in commit order, L4 not covered. */
export interface Levels {
  /** The highest that holds, with all below it. */
  readonly reached: 0 | 1 | 2 | 3;
  /** Whether a higher one than `reached` was looked at and is undecided, as L3 is without the effects log. */
  readonly undecided: boolean;
  /** Committed transactions that rest on a version overwritten before they committed. */
  readonly staleGenerations: number;
  /** Effects of transactions that rest, themselves or over any number of reads, on such a version or on no commit. */
  readonly cascades: number;
  /** Effects that left before one of their lane that comes before them. */
  readonly laneBreaks: number;
}

export interface PartitionCoverage {
  readonly partition: number;
  /** Versions below it are the initial state. */
  readonly start: Offset;
  readonly first: Offset;
  readonly last: Offset;
  /** Reads of versions below `start`, and ranges read below it, whose writers are unknown. */
  readonly initialReads: number;
}

export interface Coverage {
  /** Committed, and judged. */
  readonly checked: number;
  /** Aborted. */
  readonly refused: number;
  /** Of unknown outcome. */
  readonly undecided: number;
  /** Read over. */
  readonly skipped: number;
  /** Of a log. */
  readonly partitions: readonly PartitionCoverage[];
  /** What was taken for granted, as sentences. */
  readonly assumptions: readonly string[];
}

export interface Judgement {
  /** Null for what was not asked, or what this kind of history cannot be asked. */
  readonly findings: Readonly<Record<Condition, Finding | null>>;
  /** Null for what this kind of history cannot show. */
  readonly counts: Readonly<Record<Anomaly, number | null>>;
  /** One of each anomaly and component, the smallest first; capped. Of plain serializability unless it holds. */
  readonly cycles: readonly Cycle[];
  /** How many components hold a cycle, shown or not. */
  readonly components: number;
  /** Capped; the counts have them all. */
  readonly badReads: readonly BadRead[];
  /** Of a log. */
  readonly claims: readonly Claim[];
  /** Of a log. */
  readonly levels: Levels | null;
  readonly coverage: Coverage;
}

export interface JudgeOptions {
  /** Also judge with each session's order: an agent's transaction that ended before another of its began. */
  readonly session?: boolean;
  /** Also judge with the order of time: whatever ended before another began. */
  readonly realTime?: boolean;
  /** At most so many cycles and bad reads are given; 20 unless set. */
  readonly examples?: number;
  /** Called now and then with the number of transactions read so far, over all passes. */
  readonly onProgress?: (transactions: number) => void;
}

/** Of `@seriatim/checker`: `judge`. Rejects only where the history cannot be read. */
export type Judge = (history: History, options?: JudgeOptions) => Promise<Judgement>;
