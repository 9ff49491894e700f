import { Failure, type Key, type KeyRange, type Offset, type Verdict } from "@seriatim/protocol";
import type { SqliteFile } from "@seriatim/log";
import { Decisions } from "./decisions.ts";
import { Fold } from "./fold.ts";
import { Holds } from "./holds.ts";
import { Identity } from "./identity.ts";
import { Positions } from "./positions.ts";
import { Reads } from "./reads.ts";
import { createTables, hasTables } from "./schema.ts";
import { Stretches } from "./stretches.ts";
import type {
  Claim,
  Counted,
  CountOptions,
  Decision,
  Entry,
  FoldResult,
  HeldEffect,
  HistoryEntry,
  HistoryOptions,
  ReadVerdict,
  RecentClaim,
  RecentHold,
  ScanOptions,
  Statistics,
  ViewPosition,
  WrittenKey,
} from "./types.ts";
import { Writes } from "./writes.ts";

/**
 * The verdicts of a space folded into tables of an SQLite file, each version of each key kept.
 *
 * Every method is one or a few short synchronous SQLite calls and leaves no read transaction open. A snapshot, `at`, is
 * an offset in the partition of the keys asked for; `newest` is the last one applied. What stands at a snapshot that
 * was applied never changes. While another process recovers the file after a crash, a method that reads waits for that,
 * 100 ms at most.
 *
 * @throws Failure, of each method that reads: `unavailable` when another connection was in the way for longer, and
 *   nothing was read; `unreadable`; `closed`.
 */
export class View {
  /** Of the file that it is in. */
  readonly path: string;
  readonly #identity: Identity;
  readonly #positions: Positions;
  readonly #fold: Fold;
  readonly #reads: Reads;
  readonly #writes: Writes;
  readonly #decisions: Decisions;
  readonly #holds: Holds;

  private constructor(file: SqliteFile) {
    this.path = file.path;
    const stretches = new Stretches(file);
    this.#identity = new Identity(file);
    this.#positions = new Positions(file);
    this.#fold = new Fold(file.database, this.#positions, this.#identity);
    this.#reads = new Reads(file, stretches);
    this.#writes = new Writes(file, stretches);
    this.#holds = new Holds(file);
    this.#decisions = new Decisions(file, this.#holds);
  }

  /**
   * Opens the view in `file`, and creates its tables when there are none.
   * @throws Failure `unreadable` when they have a newer format; whatever {@link SqliteFile.transaction} throws.
   */
  static async open(file: SqliteFile): Promise<View> {
    const { database, path } = file;
    const opened = await file.read(() => (hasTables(database, path) ? new View(file) : undefined));
    if (opened !== undefined) return opened;
    await file.transaction(() => createTables(database));
    return file.read(() => {
      if (hasTables(database, path)) return new View(file);
      throw new Failure("unreadable", `the view's tables in ${path} were removed while it was being opened; try again`);
    });
  }

  /** The genesis record of the space that the view is bound to; undefined before the first `bind` or `fold`. */
  genesis(): Uint8Array | undefined {
    return this.#identity.genesis();
  }

  /**
   * Binds the view to the space of `genesis`, for good. In a transaction.
   * @throws Failure `other_space` when it is bound to another.
   */
  bind(genesis: Uint8Array): void {
    this.#identity.bind(genesis);
  }

  position(partition: number): ViewPosition {
    return this.#positions.get(partition);
  }

  /** The newest offset applied; -1 before the genesis. */
  applied(partition: number): Offset {
    return this.#positions.offset(partition);
  }

  /**
   * Folds records of the verdicts log, in its order. In a transaction, so that data and position change together.
   * Applies a verdict only if its predecessor is the position (invariant 3), and counts the others; a copy that comes
   * later heals a gap. Harmless where several processes fold the same records.
   */
  fold(partition: number, records: readonly ReadVerdict[]): FoldResult {
    return this.#fold.fold(partition, records);
  }

  /** After the transaction of a {@link fold}: what it applied need not be read again by who asks for `decisions`. */
  noteApplied(partition: number, applied: readonly Verdict[]): void {
    this.#decisions.note(partition, applied);
  }

  /** The live entry of `key`; undefined when it was absent. */
  get(key: Key, at: Offset): Entry | undefined {
    return this.#reads.get(key, at);
  }

  /** The version observed of a live key; null when it was absent. */
  version(key: Key, at: Offset): Offset | null {
    return this.#reads.version(key, at);
  }

  /** Live entries in byte order. */
  scan(range: KeyRange, at: Offset, options: ScanOptions): Entry[] {
    return this.#reads.scan(range, at, options);
  }

  /** How many live entries there are, a bounded part of the range a call. Reads no values. */
  count(range: KeyRange, at: Offset, options: CountOptions): Counted {
    return this.#reads.count(range, at, options);
  }

  /** Every write of `key`, newest first. */
  history(key: Key, options: HistoryOptions = {}): HistoryEntry[] {
    return this.#reads.history(key, options);
  }

  /** What was decided of the intents record at `offset`; undefined when that is not applied. */
  decision(partition: number, offset: Offset): Decision | undefined {
    return this.#decisions.at(partition, offset);
  }

  /** What was decided in `(after, upTo]`, in order of offset. Read page by page. */
  decisions(partition: number, after: Offset, upTo: Offset): Iterable<Decision> {
    return this.#decisions.between(partition, after, upTo);
  }

  /** What was decided of the record that claimed `id` first, in one partition or in the lowest that knows the id. */
  decisionOf(id: string, partition?: number): Decision | undefined {
    return this.#decisions.of(id, partition);
  }

  /** The record that claimed `id` last: within the window there is at most one. */
  claim(partition: number, id: string): Claim | undefined {
    return this.#decisions.claim(partition, id);
  }

  /** Ids claimed above the offset `after`, in order of offset. Read page by page: the last may be newer than the first. */
  recentClaims(partition: number, after: Offset): Iterable<RecentClaim> {
    return this.#decisions.recentClaims(partition, after);
  }

  /** The holds of `id`, in order of offset, those that the window no longer reaches too. */
  holds(partition: number, id: string): HeldEffect[] {
    return this.#holds.of(partition, id);
  }

  /** Holds above the offset `after`, in order of offset. Read page by page. */
  recentHolds(partition: number, after: Offset): Iterable<RecentHold> {
    return this.#holds.recent(partition, after);
  }

  /** The highest offset whose log time is at most `time` (ms since 1970); -1 when there is none. */
  offsetAt(partition: number, time: number): Offset {
    return this.#decisions.offsetAt(partition, time);
  }

  /** Log time at a snapshot, in ms since 1970; 0 before the genesis. */
  timeAt(partition: number, at: Offset): number {
    return this.#decisions.timeAt(partition, at);
  }

  statistics(partition: number): Statistics {
    return this.#decisions.statistics(partition);
  }

  /** The version of the last write or delete of `key`; -1 when it was never written. */
  lastWrite(key: Key): Offset {
    return this.#writes.last(key);
  }

  /**
   * Keys in `range` last written or deleted above `after`, an offset in their partition, in key order.
   * Takes time in proportion to the keys in `range` or to the writes above `after`, whichever are fewer.
   */
  newestIn(range: KeyRange, after: Offset, limit: number): WrittenKey[] {
    return this.#writes.newestIn(range, after, limit);
  }

  /** Every write and delete in `(after, upTo]`, in order of version. `limit`: all unless given. */
  changes(partition: number, after: Offset, upTo: Offset, limit?: number): WrittenKey[] {
    return this.#writes.changes(partition, after, upTo, limit);
  }

  /** Like {@link changes}, all above `after`; read page by page: the last may be newer than the first. */
  recentWrites(partition: number, after: Offset): Iterable<WrittenKey> {
    return this.#writes.recent(partition, after);
  }
}
