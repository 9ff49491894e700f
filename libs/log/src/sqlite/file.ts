import { renameSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Database, Statement } from "better-sqlite3";
import { assert, Failure } from "@seriatim/protocol";
import { isBusy, movedFailure, toCommitFailure, toFailure } from "./errors.ts";
import { beginLoading } from "./loading.ts";
import { openDatabase, openInMemory, pauseNow, type SqliteFileOptions } from "./opening.ts";
import { abortedFailure, defaultDeadline, lateFailure, Queue, soon, type WaitOptions } from "./queue.ts";

/** In place of a path: `open` gives absolute ones. */
const memoryPath = ":memory:";

/** How long a read may keep the event loop waiting for another connection, in ms. */
const synchronousPatience = 100;

/** How often others' commits are looked for while somebody listens, in ms. */
const watchInterval = 3;

/**
 * The one way in which we open an SQLite file. No SQLITE_BUSY reaches a caller, and waiting for another connection
 * never blocks the event loop (only `open` may, for a moment).
 *
 * Whatever writes goes through `transaction`: nothing else waits for the lock or tells the listeners.
 */
export class SqliteFile {
  readonly path: string;
  readonly database: Database;
  readonly #readonly: boolean;
  readonly #inode: number;
  readonly #queue = new Queue();
  readonly #listeners = new Set<() => void>();
  readonly #statements: Record<"begin" | "beginRead" | "commit" | "rollback", Statement>;
  readonly #dataVersion: Statement<[], number>;
  readonly #totalChanges: Statement<[], number>;
  #versionSeen = 0;
  /** The total after the last commit: whatever came since is of the next one, or of one that was rolled back. */
  #changesSeen = 0;
  #watch: NodeJS.Timeout | undefined;
  #isNotifying = false;

  private constructor(path: string, database: Database, isReadonly: boolean) {
    this.path = path;
    this.database = database;
    this.#readonly = isReadonly;
    this.#inode = inodeOf(path);
    this.#statements = {
      begin: database.prepare("BEGIN IMMEDIATE"),
      beginRead: database.prepare("BEGIN"),
      commit: database.prepare("COMMIT"),
      rollback: database.prepare("ROLLBACK"),
    };
    this.#dataVersion = database.prepare<[], number>("PRAGMA data_version").pluck();
    this.#totalChanges = database.prepare<[], number>("SELECT total_changes()").pluck();
  }

  /**
   * @throws Failure `invalid_argument` for a path that cannot be a file of ours (a folder, a missing folder, a missing
   *   file that may not be created); `read_only` when it or its folder cannot be written; `unreadable` when it is no
   *   database or a damaged one; `not_a_space` when it is a database of another application; `unavailable` when
   *   others kept it locked.
   */
  static open(path: string, options: SqliteFileOptions = {}): SqliteFile {
    // SQLite ends a path at U+0000, and better-sqlite3 trims it: either would open another file than the one named.
    if (path === "" || path.includes("\0") || path.trimEnd() !== path) {
      throw new Failure("invalid_argument", `${JSON.stringify(path)} is no path of a file; name another`);
    }
    const absolute = resolve(path);
    return new SqliteFile(absolute, openDatabase(absolute, options), options.readonly === true);
  }

  /**
   * A file that is none, for tests: in memory, with this connection alone, gone when it is closed. `image`: what
   * `database.serialize()` gave of such a one before.
   */
  static inMemory(image?: Uint8Array): SqliteFile {
    return new SqliteFile(memoryPath, openInMemory(image), false);
  }

  get isReadonly(): boolean {
    return this.#readonly;
  }

  get isOpen(): boolean {
    return this.database.open;
  }

  /**
   * Runs `work` in one BEGIN IMMEDIATE ... COMMIT, rolled back when it throws; its error is passed on. Calls are served
   * in order. `work` is synchronous, and must bear being run again after a rollback.
   * @throws Failure `unavailable` when nothing was written (lock not had in time, disk full); `unknown_outcome` when the
   *   disk failed during the commit; `read_only`; `unreadable`; `log_changed` when the file is no longer at its path;
   *   `aborted`; `closed`.
   */
  async transaction<T>(work: () => T, options: WaitOptions = {}): Promise<T> {
    this.#assertOpen();
    if (this.#readonly) {
      throw new Failure("read_only", `${this.path} was opened for reading only; open it without \`readonly\``);
    }
    return this.#queue.run(
      () => this.#commit(work),
      () => `a transaction on ${this.path}`,
      options,
    );
  }

  /**
   * Runs `work`, which must only read, with one state of the file for all its statements. Tried at once, and again only
   * in the rare case that another connection is in the way (it recovers the file after a crash). Inside of a
   * `transaction`, read with plain statements instead.
   * @throws Failure `unavailable`, `unreadable`, `aborted`, `closed`.
   */
  async read<T>(work: () => T, options: WaitOptions = {}): Promise<T> {
    const { signal, deadline = defaultDeadline } = options;
    for (const end = Date.now() + deadline; ;) {
      if (signal?.aborted === true) throw abortedFailure(`a read of ${this.path}`, signal);
      this.#assertOpen();
      try {
        return this.#within(this.#statements.beginRead, work);
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      if (Date.now() > end) throw lateFailure(`a read of ${this.path}`, deadline);
      await new Promise<void>(soon);
    }
  }

  /**
   * Runs `work`, one statement that only reads, at once. Another connection can be in the way only for a moment, while
   * it recovers the file after a crash: so long this waits for it, and blocks the event loop, but for no longer than
   * 100 ms. Within a transaction there is nothing to wait for.
   * @throws Failure `unavailable`, `unreadable`, `closed`.
   */
  readNow<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // Nothing is asked before the statement itself, which fails where the file is closed or in another's way.
      return this.#readAgain(work, error);
    }
  }

  /** As {@link readNow}, for several statements that must see one state of the file. */
  readTogetherNow<T>(work: () => T): T {
    return this.readNow(() => (this.database.inTransaction ? work() : this.#within(this.#statements.beginRead, work)));
  }

  /**
   * To be called before much is written in large transactions: they wait less for the disk until what is returned is
   * called, once, which then takes a moment. Costs up to 128 MiB of memory and 64 MiB of disk meanwhile.
   */
  beginLoading(): () => void {
    this.#assertOpen();
    const end = beginLoading(this.database);
    return () => {
      if (!this.database.open) return;
      try {
        end();
      } catch (error) {
        if (!isBusy(error)) throw toFailure(error, this.path);
      }
    };
  }

  /**
   * Copies all of it, as of one moment, into a new file at `path`, which is there only once it is whole. Others may write
   * meanwhile; this process does nothing else until it is done.
   * @throws Failure `invalid_argument` when there is a file already; `unavailable` when the copy cannot be written.
   */
  copyInto(path: string): void {
    this.#assertOpen();
    if (statSync(path, { throwIfNoEntry: false }) !== undefined)
      throw new Failure("invalid_argument", `there is a file ${path} already: name another for the copy`);
    const partial = `${resolve(path)}.${process.pid}.tmp`;
    try {
      this.database.prepare("VACUUM INTO ?").run(partial);
      renameSync(partial, path);
    } catch (error) {
      rmSync(partial, { force: true });
      throw toFailure(error, path);
    }
  }

  /**
   * Calls `listener` after each commit that changed rows, of this process or another, several of them possibly at once,
   * and once when the file is closed. Subscribe first and read then, or a commit in between goes unnoticed. Others'
   * commits are found by polling, which goes on only while there are listeners and does not keep the process alive.
   * The listener must not throw.
   */
  subscribe(listener: () => void): () => void {
    this.#assertOpen();
    const entry = (): void => listener();
    this.#listeners.add(entry);
    if (this.#watch === undefined && this.path !== memoryPath) {
      this.#lookForCommits();
      this.#watch = setInterval(() => this.#lookForCommits(), watchInterval).unref();
    }
    return () => {
      this.#listeners.delete(entry);
      if (this.#listeners.size === 0) this.#stopWatching();
    };
  }

  /** Ends what waits with Failure `closed`. May be called again. Not inside of a transaction. */
  close(): void {
    if (!this.database.open) return;
    assert(!this.database.inTransaction, "an SQLite file was closed inside of a transaction");
    this.#stopWatching();
    this.database.close();
    this.#queue.clear(this.#closedFailure());
    this.#notify();
  }

  #readAgain<T>(work: () => T, failed: unknown): T {
    if (this.database.inTransaction) throw failed;
    let error = failed;
    for (const end = Date.now() + synchronousPatience; ;) {
      this.#assertOpen();
      if (!isBusy(error)) throw toFailure(error, this.path);
      if (Date.now() >= end) throw lateFailure(`a read of ${this.path}`, synchronousPatience);
      pauseNow();
      try {
        return work();
      } catch (again) {
        error = again;
      }
    }
  }

  #commit<T>(work: () => T): T {
    if (this.path !== memoryPath && inodeOf(this.path) !== this.#inode) throw movedFailure(this.path);
    const result = this.#within(this.#statements.begin, work);
    const changes = this.#totalChanges.get() ?? 0;
    if (changes !== this.#changesSeen) this.#notify();
    this.#changesSeen = changes;
    return result;
  }

  #within<T>(begin: Statement, work: () => T): T {
    assert(!this.database.inTransaction, "a transaction was begun inside of another");
    let map = toFailure;
    try {
      begin.run();
      const result = work();
      assert(!(result instanceof Promise), "work inside of a transaction must be synchronous");
      map = toCommitFailure;
      this.#statements.commit.run();
      return result;
    } catch (error) {
      this.#rollBack();
      throw isBusy(error) ? error : map(error, this.path);
    }
  }

  /** SQLite has rolled back by itself after some errors. */
  #rollBack(): void {
    if (this.database.inTransaction) this.#statements.rollback.run();
  }

  #lookForCommits(): void {
    try {
      const version = this.#dataVersion.get() ?? 0;
      if (version === this.#versionSeen) return;
      this.#versionSeen = version;
    } catch (error) {
      // Otherwise the file has become unreadable: let those who listen read it and find out.
      if (isBusy(error)) return;
    }
    this.#notify();
  }

  #notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      for (const listener of this.#listeners) listener();
    });
  }

  #stopWatching(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #assertOpen(): void {
    if (!this.database.open) throw this.#closedFailure();
  }

  #closedFailure(): Failure {
    return new Failure("closed", `${this.path} was closed; open it again`);
  }
}

/** 0 when there is no such file, as for one in memory. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
