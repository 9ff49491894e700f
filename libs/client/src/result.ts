import type { ConflictKind, InvalidReason, RefusalCode, Version } from "@seriatim/protocol";

/** What became of a run. TypeScript makes the caller look at `outcome` before it believes that anything was written. */
export type RunResult<T> = RunCommitted<T> | RunRefused;

export interface RunCommitted<T> {
  readonly outcome: "committed";
  /** What the function returned, as JSON holds it: the same for whoever asks under this id, now or later. */
  readonly value: T;
  /** How often this run called the function: 0 when an earlier run under the same id had committed already. */
  readonly attempts: number;
  /** Where the writes took effect. Undefined only when there was nothing to decide: no read, no write, no id. */
  readonly version: Version | undefined;
  /** The id of the intent that committed, for {@link Coordinator.lookup}. */
  readonly intent: string;
  /** The value is that of another run under the same id, which committed first. */
  readonly repeated: boolean;
}

export interface RunRefused {
  readonly outcome: "refused";
  /** The refusal of the last attempt, whole. */
  readonly refusal: Refusal;
  /** How often this run called the function. */
  readonly attempts: number;
}

/** What to do about a refusal, as one word for programs; the refusal's message says it in a sentence. */
export const advices = [
  /** Read what changed and decide anew: a new attempt can commit. */
  "read_again",
  /** Begin again on a fresh snapshot: this one was too old. Nothing need have changed. */
  "begin_again",
  /** Take another id: this one is spent. */
  "use_another_id",
  /** Read the clock again and decide whether the interval still makes sense. */
  "check_time",
  /** Write or read less in one intent. */
  "make_smaller",
  /** The intent itself breaks the rules: sending it again is of no use. */
  "correct",
] as const;
export type Advice = (typeof advices)[number];

/** A decided no. A value and not an exception: it has a next step. */
export interface Refusal {
  readonly code: RefusalCode;
  /** One sentence on what happened and one on what to do next, written so that a model can act on it. */
  readonly message: string;
  /** With `conflict`: what changed, in the order in which it was read, then written; capped by the space's limits. */
  readonly conflicts: readonly ConflictDetail[];
  /** The id of the intent that was refused. */
  readonly intent: string;
  /** The place of the refused record. */
  readonly version: Version;
  /** With `invalid`: the rule that it breaks. */
  readonly reason?: InvalidReason;
  readonly advice: Advice;
}

/** A key that the intent rested on and that somebody else wrote or deleted after its snapshot. */
export interface ConflictDetail {
  /**
   * How the intent rested on the key: it read it, read a range that holds it, or writes it, which at level serializable
   * means that it has not read it.
   */
  readonly kind: ConflictKind;
  readonly key: string;
  /** The write that conflicts, who made it, by which intent and at what log time. */
  readonly version: Version;
  readonly agent: string | null;
  readonly intent: string | null;
  readonly time: Date;
  /** That write deleted the key. */
  readonly deleted: boolean;
  /** What the key holds now, which may be newer than `version`; undefined when it is absent. */
  readonly value: unknown;
  /**
   * What the refused intent went by: the version that it read, that the key was absent, a range, or no read at all.
   * `unknown` only in a lookup, since a verdict does not repeat what was read.
   */
  readonly yours: Version | "absent" | "range" | "unread" | "unknown";
}

/** What a coordinator knows of an intent's id. */
export type Lookup =
  | {
      readonly outcome: "committed";
      readonly intent: string;
      readonly version: Version;
      readonly agent: string | null;
      readonly time: Date;
      /** What the transaction's function returned. */
      readonly value: unknown;
    }
  | { readonly outcome: "refused"; readonly intent: string; readonly refusal: Refusal }
  /** Closed by a cancel: it has not taken effect and never will. */
  | { readonly outcome: "cancelled"; readonly intent: string; readonly version: Version }
  /** No record under this id has been decided as far as this view has come. */
  | { readonly outcome: "absent"; readonly intent: string };

/** What became of an intent that was built by hand. */
export type SubmitResult =
  | {
      readonly outcome: "committed";
      readonly version: Version;
      readonly intent: string;
      /** The log time of the decision. */
      readonly time: Date;
      /** The result that the intent carried, as encoded. */
      readonly result: Uint8Array | null;
      /** The same bytes had been decided before this call. */
      readonly repeated: boolean;
    }
  | { readonly outcome: "refused"; readonly refusal: Refusal };

/** Something that an open transaction has read, or writes, and that somebody else wrote or deleted after its snapshot. */
export interface Change extends ConflictDetail {
  /** The same as a clause, without a full stop. */
  readonly message: string;
  /** Whether it refuses the transaction, at its isolation level. */
  readonly refuses: boolean;
}

/** A key with what it holds and the version that wrote it. */
export interface Entry<T = unknown> {
  readonly key: string;
  readonly value: T;
  readonly version: Version;
}

/** One write in the history of a key. */
export interface HistoryEntry<T = unknown> {
  readonly version: Version;
  /** Undefined when this write deleted the key. */
  readonly value: T | undefined;
  readonly deleted: boolean;
  readonly agent: string | null;
  readonly intent: string | null;
  readonly time: Date;
}
