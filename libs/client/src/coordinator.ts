import type { Handlers } from "@seriatim/effects";
import type { Effect, Isolation, KeyRange, Offset, Point, Version, Write } from "@seriatim/protocol";
import type { Entry, HistoryEntry, Lookup, RunResult, SubmitResult } from "./result.ts";
import type { Statistics } from "./statistics.ts";
import type { Range, ScanOptions, Transaction } from "./transaction.ts";

export interface CoordinatorOptions {
  /** A clock in ms that does not step back, for deadlines and statistics; the process's monotonic one unless given. */
  readonly clock?: (() => number) | undefined;
  /** From 0 (inclusive) to 1 (exclusive), for the jitter of retries; `Math.random` unless given. */
  readonly random?: (() => number) | undefined;
  /**
   * How long to wait for a verdict, in ms; 30,000 unless given. After it the intent is cancelled, and the cancel is given
   * as long again before the run ends with a Failure `unknown_outcome`.
   */
  readonly verdictTimeout?: number | undefined;
  /** How many intents may wait for their verdicts at once; one more fails with `overloaded`. Default 1,000. */
  readonly unresolved?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * What effects are done by, made with `defineHandlers`. `tx.compensable` and `tx.immediate` call them here; where they
   * are given, an effect whose handler is not among them is refused at once.
   */
  readonly handlers?: Handlers | undefined;
}

/**
 * The wait before attempt n + 1 is drawn evenly from 0 to min(`cap`, `base` * 2^(n-1)) ms, where nothing better is known:
 * after a conflict a run begins again at once, or when its turn has come among those that contend for the same key.
 */
export interface RetryOptions {
  /** In ms; 4 unless given. */
  readonly base?: number | undefined;
  /** In ms; 1,000 unless given. */
  readonly cap?: number | undefined;
}

export interface RunOptions {
  /** Who acts: the name that refusals and the history of a key give to others. */
  readonly agent: string;
  /**
   * Names the business action ("approval-1042"): it is done once, however often and by however many processes it is run.
   * A run under an id that has committed returns the committed value without calling the function. On a space of several
   * partitions it needs `partitionKey`, always the same one. Without an id every run is an action of its own.
   */
  readonly id?: string | undefined;
  /**
   * `serializable` unless given: nothing that it read or writes may have changed. `snapshot` checks only what it writes;
   * `none` checks nothing, and reads the newest values.
   */
  readonly isolation?: Isolation | undefined;
  /** How often the function may be called, from 1; 10 unless given. */
  readonly attempts?: number | undefined;
  /** Ends the run with a Failure `aborted` where it is certain that nothing was written. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The first segment of every key that the transaction touches; fixed by the first key touched unless given. A space in
   * one file takes any number of them in a transaction; one that is given here binds there too.
   */
  readonly partitionKey?: string | undefined;
  /** Begin no earlier than at this version, to see one's own writes through another process's view. */
  readonly minVersion?: Version | undefined;
}

export interface ReadOptions {
  /** Wait until the view has applied this version; a Failure `not_yet` if it does not in time. */
  readonly minVersion?: Version | undefined;
  /** What was there at a version, or at a log time; now unless given. */
  readonly asOf?: Version | Date | undefined;
}

export interface HistoryOptions {
  /** At most so many writes; 100 unless given. */
  readonly limit?: number | undefined;
  /** Only writes older than this version: the last one of the page before. */
  readonly before?: Version | undefined;
}

export interface LookupOptions {
  /** The partition in which it was submitted; needed only where a space has several and an id may stand in two. */
  readonly partition?: number | undefined;
}

/** An intent built by hand. What is left out is filled in; keys, ranges and values are as the protocol has them. */
export interface IntentRequest {
  readonly agent: string;
  /** A random UUID unless given. Only the same bytes are the same intent: who sends again gives the same snapshot too. */
  readonly id?: string | undefined;
  /** That of the first key or range unless given. */
  readonly partition?: number | undefined;
  /** The newest offset applied unless given. */
  readonly snapshot?: Offset | undefined;
  readonly isolation?: Isolation | undefined;
  readonly points?: readonly Point[] | undefined;
  readonly ranges?: readonly KeyRange[] | undefined;
  readonly writes?: readonly Write[] | undefined;
  readonly effects?: readonly Effect[] | undefined;
  readonly holds?: readonly Offset[] | undefined;
  readonly validFrom?: number | null | undefined;
  readonly validUntil?: number | null | undefined;
  readonly result?: Uint8Array | null | undefined;
}

/** Runs transactions on one space. Any number of coordinators, in any number of processes, may work on the same space. */
export interface Coordinator {
  /**
   * Runs `fn` as a transaction: its reads come from one snapshot, its writes take effect together, and the result is one
   * that could have come about had every transaction run alone, one after another. Where it cannot, because something it
   * read or writes was changed meanwhile, `fn` is called again on a fresh snapshot, at most `attempts` times; so what it
   * does besides reading and writing through `tx` may happen more than once.
   *
   * What `fn` throws is passed on unchanged, and nothing is written. To end without an error, return a value.
   *
   * @example
   * const result = await coordinator.run({ agent: "approver", id: "approval-1042" }, async (tx) => {
   *   const budget = (await tx.get<number>("policy/budget")) ?? 0;
   *   if (budget < 50) return "declined";
   *   tx.put("policy/budget", budget - 50);
   *   return "approved";
   * });
   * if (result.outcome === "refused") console.error(result.refusal.message);
   * else console.log(result.value, result.version);
   *
   * @throws Failure `invalid_argument`; `overloaded`, `unavailable` and `aborted` (nothing was written); `unknown_outcome`
   * (look the intent up); `not_yet` (`minVersion` was not reached in time); `closed`; `log_changed`.
   */
  run<T>(options: RunOptions, fn: (tx: Transaction) => T | Promise<T>): Promise<RunResult<T>>;

  /**
   * Submits an intent built by hand, once: nothing is retried but the append itself.
   * @throws as {@link run} does.
   */
  submit(intent: IntentRequest, options?: { readonly signal?: AbortSignal | undefined }): Promise<SubmitResult>;

  /** What a key holds, or undefined. Outside of any transaction: by the time one acts on it, it may have changed. */
  get<T = unknown>(key: string, options?: ReadOptions): Promise<T | undefined>;
  /** As {@link get}, with the version that wrote it. */
  entry<T = unknown>(key: string, options?: ReadOptions): Promise<Entry<T> | undefined>;
  /** The keys of a range with what they hold and the versions that wrote them. */
  scan<T = unknown>(range: Range, options?: ScanOptions & ReadOptions): Promise<Entry<T>[]>;
  /** Who wrote a key, when and what: newest first. */
  history<T = unknown>(key: string, options?: HistoryOptions): Promise<HistoryEntry<T>[]>;
  /** What became of the intent with this id, as far as the view has come. */
  lookup(intent: string, options?: LookupOptions): Promise<Lookup>;
  /** How far the view has come, one version for each partition. */
  positions(): readonly Version[];

  /** What this coordinator has done since it was made. */
  statistics(): Statistics;
  /** Ends what is waiting and closes the space. */
  close(): Promise<void>;
}
