import { assert, Failure, isFailure } from "@seriatim/protocol";
import { checkPartition, checkPosition, closedLog } from "../checks.ts";
import { follow, type Source } from "../follow.ts";
import type { Batch, Bounds, Log, LogRecord, NewRecord } from "../port.ts";
import type { SqliteFile } from "./file.ts";
import { type BatchLimit, checkName, createLog, partitionCount, PartitionTable } from "./tables.ts";

export interface SqliteLogOptions {
  /** How many partitions a log that is created gets; one that exists must have as many. Default 1. */
  readonly partitions?: number;
  /** The log's clock, in ms since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

const batchLimit: BatchLimit = { count: 1000, bytes: 1_000_000 };

/**
 * A log kept in tables of an SQLite file, beside others. Offsets are contiguous from 0.
 *
 * The methods that end in `Now` are synchronous, for use inside of `file.transaction`, so that one transaction can
 * append and do more. Closing the log ends its reads; the file stays open, for whoever opened it.
 */
export class SqliteLog implements Log {
  readonly file: SqliteFile;
  readonly name: string;
  readonly partitions: number;
  readonly #tables: readonly PartitionTable[];
  readonly #now: () => number;
  readonly #closing = new AbortController();

  private constructor(file: SqliteFile, name: string, partitions: number, now: () => number) {
    this.file = file;
    this.name = name;
    this.partitions = partitions;
    this.#now = now;
    this.#tables = Array.from({ length: partitions }, (_, index) => new PartitionTable(file.database, name, index));
  }

  /**
   * Opens log `name` of `file`, creating it when the file holds no such log and may be written.
   * @throws Failure `invalid_argument` when it exists with another number of partitions; `not_a_space` when the file is
   *   open for reading only and holds no such log; what `SqliteFile.transaction` throws.
   */
  static async open(file: SqliteFile, name: string, options: SqliteLogOptions = {}): Promise<SqliteLog> {
    const { partitions = 1, now = Date.now } = options;
    checkName(name);
    assert(Number.isInteger(partitions) && partitions > 0, "a log has at least one partition");
    const found =
      (await file.read(() => partitionCount(file.database, name))) ?? (await create(file, name, partitions));
    if (found !== partitions) {
      const message = `log ${name} in ${file.path} has ${found} partitions, not ${partitions}; open it with ${found}`;
      throw new Failure("invalid_argument", message);
    }
    return new SqliteLog(file, name, partitions, now);
  }

  async append(
    partition: number,
    records: readonly NewRecord[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<number> {
    this.#assertOpen();
    checkPartition(this, partition);
    return this.file.transaction(() => this.appendNow(partition, records), options);
  }

  async *read(
    from: ReadonlyMap<number, number>,
    options: { readonly signal: AbortSignal },
  ): AsyncGenerator<Batch, void> {
    this.#assertOpen();
    for (const partition of from.keys()) checkPartition(this, partition);
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    const source: Source = {
      fetch: (partition, position) => this.#fetch(partition, position, signal),
      subscribe: (listener) => this.file.subscribe(listener),
    };
    yield* follow(source, from, signal);
  }

  async bounds(partition: number): Promise<Bounds> {
    this.#assertOpen();
    checkPartition(this, partition);
    return this.file.read(() => this.boundsNow(partition));
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  /** Appends inside of the caller's `file.transaction`, all with one time; returns the offset of the first. */
  appendNow(partition: number, records: readonly NewRecord[], time: number = this.#now()): number {
    assert(this.file.database.inTransaction, "appendNow was called outside of a transaction");
    return this.#table(partition).append(records, time);
  }

  /** What the log's clock says, in ms since 1970. */
  timeNow(): number {
    return this.#now();
  }

  /** The records at and after `from`; empty when there are none. Looks for no truncation. */
  readNow(partition: number, from: number, limit: BatchLimit = batchLimit): LogRecord[] {
    return this.#table(partition).read(from, limit);
  }

  boundsNow(partition: number): Bounds {
    return this.#table(partition).bounds();
  }

  /** The offset that the next record will get. */
  endNow(partition: number): number {
    return this.boundsNow(partition).end;
  }

  /** The next batch of a reader; empty at the end of the partition, and when the reading is over. */
  async #fetch(partition: number, position: number, signal: AbortSignal): Promise<LogRecord[]> {
    try {
      return await this.file.read(
        () => {
          const records = this.readNow(partition, position);
          // Only what does not follow on can tell that the log changed: the common case asks nothing more.
          if (records[0]?.offset !== position) checkPosition(this, partition, position, this.boundsNow(partition));
          return records;
        },
        { signal },
      );
    } catch (error) {
      if (!isFailure(error, "aborted", "closed")) throw error;
      // A closed file ends the readings of its logs as closing the log does.
      if (error.code === "closed") this.#closing.abort();
      return [];
    }
  }

  #table(partition: number): PartitionTable {
    const table = this.#tables[partition];
    assert(table !== undefined, `log ${this.name} has no partition ${partition}`);
    return table;
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted || !this.file.isOpen) throw closedLog(this);
  }
}

/** Creates the log unless another process just did; returns its partition count. */
async function create(file: SqliteFile, name: string, partitions: number): Promise<number> {
  if (file.database.readonly) {
    const message = `${file.path} holds no log ${name}; open a file that does, or open this one for writing`;
    throw new Failure("not_a_space", message);
  }
  return file.transaction(() => {
    const found = partitionCount(file.database, name);
    if (found === undefined) createLog(file.database, name, partitions);
    return found ?? partitions;
  });
}
