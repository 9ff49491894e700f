import type { DependencyKind, Answer, Anomaly, Condition, Levels } from "../judgement.ts";
import type { EffectStanding } from "../effects/effect-state.ts";
import type { Objection, ObjectionName } from "../audit/objections.ts";

/*
 * What was found, as plain data: what `--json` prints, and what the text, the drawing and the page are made of. Keys are
 * text; times are in ISO 8601.
 */

/** What a history may be held to. `claimed`: each transaction to its own level; `none`: to nothing but the audit. */
export const askedLevels = ["serializable", "log-order", "snapshot", "claimed", "none"] as const;
export type AskedLevel = (typeof askedLevels)[number];

export interface ReportedTransaction {
  /** T and its offset, or as a foreign history names it. */
  readonly name: string;
  /** PARTITION@OFFSET; null where there is no log. */
  readonly version: string | null;
  /** Of a foreign history its session. */
  readonly agent: string | null;
  readonly id: string | null;
  readonly time: string | null;
  readonly isolation: string | null;
  readonly snapshot: number | null;
  /** What it read and wrote, each as one line; what stands outside of the history has none. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly effects: readonly string[];
  /** Of the effects, those that had left. */
  readonly left: readonly string[];
}

export interface ReportedDependency {
  readonly kind: DependencyKind;
  /** Names of transactions: what comes first, and what comes after it. */
  readonly from: string;
  readonly to: string;
  readonly key: string | null;
  /** Why that is so. */
  readonly sentence: string;
}

export interface ReportedCycle {
  readonly anomaly: Anomaly;
  /** How many transactions hang together with it. */
  readonly component: number;
  /** Whether it is known that no shorter one is among them. */
  readonly minimal: boolean;
  readonly transactions: readonly ReportedTransaction[];
  readonly dependencies: readonly ReportedDependency[];
  /** The commands that extract and check just this part; null where that cannot be. */
  readonly command: string | null;
}

export interface ReportedFinding {
  readonly condition: Condition;
  readonly answer: Answer;
  readonly reason: string | null;
}

export interface ReportedRule {
  readonly name: string;
  readonly answer: Answer;
  /** Commits that broke it where it held before. */
  readonly breaks: number;
  /** Commits after which it was looked at. */
  readonly evaluated: number;
  /** Groups in which it is broken at the end. */
  readonly standing: number;
  readonly first: {
    readonly version: string;
    readonly time: string;
    readonly agent: string | null;
    readonly id: string | null;
    readonly message: string;
  } | null;
}

export interface ReportedPartition {
  readonly partition: number;
  /** Where it is read from: versions below are the initial state. */
  readonly start: number;
  /** The last offset read; null when nothing was. */
  readonly last: number | null;
  readonly records: number;
  readonly verdicts: number;
  readonly repeats: number;
  /** Verdicts that stood before one that they follow, and came again later. */
  readonly early: number;
  /** Records without a verdict, and the first of them. */
  readonly undecided: number;
  readonly undecidedFrom: number | null;
  /** Offset and chain hash, in hex, of the last verdict. */
  readonly head: { readonly offset: number; readonly chain: string } | null;
}

export interface Report {
  readonly answer: Answer;
  /** The first line. */
  readonly headline: string;
  readonly source: string;
  readonly asked: AskedLevel;
  /** Levels that transactions claimed, weakest first; of a foreign history none. */
  readonly claimed: readonly { readonly isolation: string; readonly claimed: number; readonly broken: number }[];
  /** The strongest level that holds for all; null when it is undecided. */
  readonly found: "serializable" | "snapshot" | "none" | null;
  readonly findings: readonly ReportedFinding[];
  /** How often each anomaly was found, those that were. */
  readonly anomalies: Readonly<Partial<Record<Anomaly, number>>>;
  readonly levels: Levels | null;
  readonly components: number;
  readonly cycles: readonly ReportedCycle[];
  readonly badReads: readonly string[];
  readonly objections: readonly Objection[];
  readonly objectionCounts: Readonly<Partial<Record<ObjectionName, number>>>;
  readonly rules: readonly ReportedRule[];
  /** Effects of commits by how they stand; null where the effects log was not read. */
  readonly effects: Readonly<Record<EffectStanding, number>> | null;
  readonly coverage: {
    readonly checked: number;
    readonly refused: number;
    readonly undecided: number;
    readonly skipped: number;
    /** Outcomes that no verdict says, derived by the checker's own rules. */
    readonly derived: number;
    /** Verdicts held against those that the rules give, with `--decisions`; null without. */
    readonly decisions: number | null;
    readonly partitions: readonly ReportedPartition[];
    /** What was taken for granted, or could not be looked at, as sentences. */
    readonly notes: readonly string[];
  };
}
