/**
 * What can go wrong outside of a decision. A refusal is a verdict and never one of these; see `Outcome`.
 *
 * Recognise a failure by its `code`, never by `instanceof`: two copies of this package may be installed.
 */
export const failureCodes = [
  /** An argument breaks the contract; the call changed nothing. */
  "invalid_argument",
  /** The file or broker cannot be reached, or did not answer in time; nothing was decided by this call. */
  "unavailable",
  /** Too much is undecided already; nothing was appended. Later it may go. */
  "overloaded",
  /** The record may or may not stand in the log; look its id up before believing either. */
  "unknown_outcome",
  /** The log no longer holds what the view was folded from: recreated, truncated or replaced. */
  "log_changed",
  /** The topic or file holds no genesis, or its first record is not one. */
  "not_a_space",
  /** The file or topic belongs to another space than the one asked for. */
  "other_space",
  /** A topic's settings break what the guarantees rest on. */
  "topic_settings",
  /** The genesis names rules, or a schema, that this version of Seriatim does not know. */
  "unknown_rules",
  /** The view has not reached the asked-for version in time. */
  "not_yet",
  /** The file cannot be written. */
  "read_only",
  /** The file is damaged, or is no SQLite database. */
  "unreadable",
  /** The coordinator, log or view was closed. */
  "closed",
  /** The caller's signal ended the call. */
  "aborted",
] as const;

export type FailureCode = (typeof failureCodes)[number];

export interface FailureOptions {
  /** Whether the same call can succeed later with nothing else changed. */
  readonly canRetry?: boolean;
  readonly cause?: unknown;
}

/** An infrastructure or usage failure: it names the thing and the remedy. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly canRetry: boolean;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Failure";
    this.code = code;
    this.canRetry = options.canRetry ?? false;
  }
}

/** Whether `error` is a {@link Failure}, of one of `codes` when any are given. */
export function isFailure(error: unknown, ...codes: readonly FailureCode[]): error is Failure {
  if (!(error instanceof Error) || error.name !== "Failure") return false;
  const { code } = error as Failure;
  return codes.length === 0 ? failureCodes.includes(code) : codes.includes(code);
}

/** A broken assertion: a fault in Seriatim or a damaged state. Whoever meets it stops before doing more harm. */
export class Defect extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Defect";
  }
}

/** Throws a {@link Defect} unless `condition` holds. Stays on in production. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Defect(message);
}
