/** One record to append. `headers` carry diagnostics only: no decision may rest on them. */
export interface NewRecord {
  readonly value: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One record as read back. */
export interface LogRecord {
  readonly offset: number;
  /** When the log appended it, in ms since 1970, by the log's own clock, which may step back. */
  readonly time: number;
  readonly value: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Records of one partition, in order of offset, never empty. */
export interface Batch {
  readonly partition: number;
  readonly records: readonly LogRecord[];
}

export interface Bounds {
  /** The offset of the first record still kept (of the next one when empty). */
  readonly start: number;
  /** The offset that the next record will get, or a higher one where the log leaves holes. */
  readonly end: number;
}

/**
 * One partitioned, append-only log: a Kafka topic, or a table of an SQLite file.
 *
 * Offsets rise within a partition and may have holes. A record once read at an offset stays there, unless the log was
 * truncated or recreated behind our back, which readers find out by themselves (`log_changed`).
 */
export interface Log {
  readonly name: string;
  readonly partitions: number;

  /**
   * Appends `records` to one partition, in order. Resolves with the offset of the first when all are durable.
   * A rejected append may still have happened, whole or in part: Failure `unknown_outcome`. Failure `unavailable`
   * says that nothing was appended. Concurrent calls are each kept in order; among each other any order may result.
   */
  append(
    partition: number,
    records: readonly NewRecord[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<number>;

  /**
   * Follows the partitions named, each from the offset given, and never ends by itself: at the end of a partition it
   * waits for more. The next batch is fetched when the last one was taken. Ends quietly when `signal` fires.
   * @throws Failure `log_changed` when an offset asked for is below the log's start or above its end;
   *   `unavailable` when the log cannot be read and waiting did not help.
   */
  read(from: ReadonlyMap<number, number>, options: { readonly signal: AbortSignal }): AsyncIterable<Batch>;

  bounds(partition: number): Promise<Bounds>;

  close(): Promise<void>;
}
