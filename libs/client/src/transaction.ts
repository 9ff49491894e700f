import type { Version } from "@seriatim/protocol";
import type { Change } from "./result.ts";

/** Which keys: all that start with `prefix`, or those from `from` (inclusive) to `to` (exclusive) by their UTF-8 bytes. */
export type Range = { readonly prefix: string } | { readonly from: string; readonly to: string };

export interface ScanOptions {
  /** At most so many keys, a whole number from 1; all unless given. */
  readonly limit?: number | undefined;
  /** From the highest key to the lowest; false unless given. With a limit: the highest ones. */
  readonly reverse?: boolean | undefined;
}

export interface WriteOptions {
  /**
   * Write whatever has happened to the key in between; false unless given. Without it a key that was written by somebody
   * else since the snapshot refuses the transaction, also when the transaction never read it.
   */
  readonly blind?: boolean | undefined;
}

export interface DeferOptions {
  /**
   * Effects of one lane leave in the order of the log, each after the one before it has ended; those of other lanes do not
   * wait for them. That of the handler unless given, else "default"; one for each partition.
   */
  readonly lane?: string | undefined;
}

export interface ImmediateOptions {
  /** Call it although the transaction may be refused afterwards; false unless given. */
  readonly force?: boolean | undefined;
  /** As of {@link CompensableOptions}. */
  readonly lease?: number | undefined;
}

export interface CompensableOptions {
  /** The handler that undoes the call. It gets the same arguments, and the call's key and result. */
  readonly undo: string;
  /**
   * How long the transaction may take from here to its end, in ms: after that it is refused, and the call undone. Longer
   * than the handler's time-out; five minutes longer unless given, as far as the space allows (leaseMs).
   */
  readonly lease?: number | undefined;
}

/** A key and what it holds, as a transaction sees it. */
export interface Item<T = unknown> {
  readonly key: string;
  readonly value: T;
}

/**
 * What a transaction's function works with. Reads come from one snapshot and see the transaction's own writes; writes are
 * buffered until the function returns, and take effect all together or not at all.
 *
 * Every method throws (the promised ones reject with) a Failure `invalid_argument` when an argument breaks the contract
 * or a limit of the space, when a second partition key is touched where one is allowed, and once the function has ended.
 */
export interface Transaction {
  /** Who acts. */
  readonly agent: string;
  /** The number of this call of the function in its run, from 1. */
  readonly attempt: number;
  /** Up to where the log had been applied when the transaction began; at level none, at its last read. */
  readonly snapshot: Version;
  /**
   * Log time of the snapshot: the append time of its last record. It may be long ago in a partition that has been quiet.
   * To decide by the clock take the client's own, and declare with {@link validUntil} how long that holds.
   */
  readonly time: Date;
  /**
   * Fires as soon as the transaction can no longer commit because something it rests on was overwritten, or when the
   * run's own signal does. Its reason is a Failure `aborted` that names the key and who wrote it. Give it to the model
   * call, to stop paying for an answer that cannot commit: what the function throws after it fired is not passed on while
   * attempts are left; the function is called again.
   *
   * @example const answer = await fetch(model, { method: "POST", body, signal: tx.signal });
   */
  readonly signal: AbortSignal;

  /** What the key holds, or undefined when it is absent. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** What the keys hold, in the order given; absent ones are left out. */
  getMany<T = unknown>(keys: Iterable<string>): Promise<Map<string, T>>;
  /**
   * The keys of a range with what they hold, in order. What is added to, changed in or deleted from the range that the
   * answer covers refuses the transaction; with a limit that is only the part up to the last key returned.
   *
   * @example const [next] = await tx.scan<Task>({ prefix: "tasks/open/" }, { limit: 1 });
   */
  scan<T = unknown>(range: Range, options?: ScanOptions): Promise<Item<T>[]>;
  /** How many keys a range holds. Any change in the range refuses the transaction. */
  count(range: Range): Promise<number>;

  /**
   * What others have written since the snapshot to what this transaction has read or writes, as far as the view has come:
   * in the order of reading, as many as a refusal would name.
   */
  changes(): Change[];

  /**
   * Writes `value`: JSON (plain objects, arrays, strings, finite numbers, booleans, null) or a Uint8Array. It is copied at
   * once; what happens to the object afterwards does not matter.
   */
  put(key: string, value: unknown, options?: WriteOptions): void;
  /** Deletes the key. To delete an absent key is no error. */
  delete(key: string, options?: WriteOptions): void;

  /**
   * Asks for something to be done outside, by the handler of this name, if and only if the transaction commits: after the
   * commit, at least once, and under one idempotency key however often. The effects of one transaction leave in the order
   * in which they were deferred. A transaction that only defers is decided too.
   *
   * @param args JSON, as {@link put} takes it, but no raw bytes. They stand in the log for good: no secrets.
   * @example tx.defer("notify", { approval: 1042 });
   */
  defer(name: string, args: unknown, options?: DeferOptions): void;

  /**
   * Calls the handler of this name now, and returns what it returned. That it is called, and what undoes it, stands in the
   * log before (a hold): should the transaction be refused or given up, or this process die, an effects worker calls
   * `undo`. What is not awaited, or failed, is undone too, also where the transaction commits.
   *
   * Each attempt of a run calls anew, under a new idempotency key, while the call of the one before is undone: do it late,
   * when the transaction is likely to commit. Do not put it into {@link memo}, which would keep the answer of a call that
   * was undone. At level none, what is read after it is read as of its snapshot.
   *
   * @throws CallError, of the package for handlers, saying whether the call may have happened; Failure `unavailable`,
   *   `unknown_outcome`, `aborted`: nothing was called.
   * @example const seat = await tx.compensable("reserve", { show, seat: 4 }, { undo: "release" });
   */
  compensable<T = unknown>(name: string, args: unknown, options: CompensableOptions): Promise<T>;

  /**
   * Refused, with the reason and what to do: what nothing can undo does not belong into a transaction that may be refused.
   * With `force` it is called all the same, once the log says so, and stays called whatever becomes of the transaction.
   *
   * @throws as {@link compensable} does.
   */
  immediate<T = unknown>(name: string, args: unknown, options?: ImmediateOptions): Promise<T>;

  /**
   * Refuses the transaction (`not_in_time`) if log time at its decision is `time` or later. Given more than once, the
   * earliest counts.
   *
   * @example tx.validUntil(endOfMonth); // "which month is it?" was answered by this process's clock
   */
  validUntil(time: Date | number): void;
  /** Refuses the transaction (`not_in_time`) if log time at its decision is before `time`. The latest given counts. */
  validFrom(time: Date | number): void;

  /**
   * The result of `fn(inputs)`, kept over the attempts of this run for as long as the inputs are equal as JSON (the order
   * of properties does not matter). Retry the transaction, not the reasoning: a model is asked again only if what it was
   * told has changed. What throws is not kept. Calls in one attempt are told apart by their inputs alone: put a name in
   * them where two different functions would be given the same.
   *
   * @example const plan = await tx.memo({ step: "plan", task, budget }, (inputs) => askModel(inputs, tx.signal));
   */
  memo<I, T>(inputs: I, fn: (inputs: I) => T | Promise<T>): Promise<T>;
}
