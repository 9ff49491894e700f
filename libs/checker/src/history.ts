import type { Isolation, Key, KeyRange, Offset, Point } from "@seriatim/protocol";

/** What became of a transaction. `indeterminate`: nothing says whether it committed. */
export type Status = "committed" | "aborted" | "indeterminate";

/** A write as the judge needs it: whose value it was does not matter, its version is the writer's offset. */
export interface LoggedWrite {
  readonly key: Key;
  readonly deleted: boolean;
  readonly blind: boolean;
}

export interface LoggedEffect {
  readonly name: string;
  readonly lane: string;
  /** Its place in the order in which effects left (offset in the effects log); null when it has not left. */
  readonly left: number | null;
}

/** A transaction of a space: it has a place in the log of its partition, and its reads name versions. */
export interface LoggedTransaction {
  readonly kind: "logged";
  readonly partition: number;
  readonly offset: Offset;
  readonly snapshot: Offset;
  readonly agent: string;
  readonly id: string;
  /** Log time at its record, in ms since 1970. */
  readonly time: number;
  /** The level that it claimed. */
  readonly isolation: Isolation;
  readonly status: Status;
  /** Keys read, each once, with the version seen; null where there was none. */
  readonly points: readonly Point[];
  /** Read at the snapshot; a key that is also a point was seen at the point's version. */
  readonly ranges: readonly KeyRange[];
  /** Each key once. */
  readonly writes: readonly LoggedWrite[];
  readonly effects: readonly LoggedEffect[];
}

/** Offsets of one partition, both inclusive. */
export interface Span {
  readonly partition: number;
  readonly from: Offset;
  readonly to: Offset;
}

/**
 * A history that stands in a log. It is read as a stream, and read again in parts when something in it needs a closer
 * look: 10 million transactions need not be held in memory.
 */
export interface LoggedHistory {
  readonly kind: "logged";
  /**
   * The partitions and the offset from which each is read: versions below it are the initial state. 0 when it is read
   * from its genesis. A partition that is missing here starts at its first transaction.
   */
  readonly starts: ReadonlyMap<number, Offset>;
  /** Whether `left` of the effects is known: without it the order in which they left is undecided. */
  readonly effectsKnown: boolean;
  /**
   * All transactions, of each partition by rising offset; partitions may interleave. With `spans`, those inside of them
   * at least: what is given besides is ignored. Each call reads anew.
   */
  read(spans?: readonly Span[]): AsyncIterable<readonly LoggedTransaction[]>;
}

/** A value of a foreign history, as text: equal values are equal strings. */
export type Value = string;

/** Which values a predicate matches; `text` is how the history writes it. */
export interface Predicate {
  readonly text: string;
  readonly matches: (value: Value) => boolean;
}

/** One step of a foreign transaction, in program order. `value` null is the absence of a value. */
export type Operation =
  | { readonly kind: "read"; readonly key: string; readonly value: Value | null }
  | { readonly kind: "write"; readonly key: string; readonly value: Value | null }
  | { readonly kind: "append"; readonly key: string; readonly value: Value }
  | { readonly kind: "read_list"; readonly key: string; readonly values: readonly Value[] }
  | {
      readonly kind: "read_predicate";
      readonly predicate: Predicate;
      readonly found: ReadonlyMap<string, Value>;
    };

/** A transaction of a foreign history: values in place of versions, and no place in a log. */
export interface ForeignTransaction {
  readonly kind: "foreign";
  /** As the history names it, or made from its place in it; unique. */
  readonly name: string;
  /** Transactions of one session follow one another as they stand in the history; null: of no session. */
  readonly session: string | null;
  readonly status: Status;
  readonly operations: readonly Operation[];
  /** When it was invoked and when it returned, in one order over the whole history; null where that is unknown. */
  readonly begin: number | null;
  readonly end: number | null;
}

export interface ForeignHistory {
  readonly kind: "foreign";
  /** The format's name, for the report. */
  readonly format: string;
  readonly transactions: readonly ForeignTransaction[];
  /** What keys held before the first transaction; one that is missing here was absent. */
  readonly initial: ReadonlyMap<string, Value>;
  /** What was taken for granted in reading it, as sentences. */
  readonly assumptions: readonly string[];
  /** Operations or records that were read over. */
  readonly skipped: number;
}

/** Who wrote what was there before the history began. */
export interface OutsideTransaction {
  readonly kind: "outside";
  readonly name: string;
  /** Of a log: the partition, and the offset that a read names. */
  readonly partition: number | null;
  readonly offset: Offset | null;
}

export type HistoryTransaction = LoggedTransaction | ForeignTransaction | OutsideTransaction;

export type History = LoggedHistory | ForeignHistory;
