import { accessSync, constants, realpathSync, statSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { Failure } from "@seriatim/protocol";
import { isBusy, toFailure } from "./errors.ts";
import { cacheSize } from "./loading.ts";
import { pragma, retain } from "./retained.ts";

export interface SqliteFileOptions {
  /**
   * `full` (default): a commit that was reported survives a power cut. `normal`: one reported shortly before a power
   * cut can be lost, and its offsets are then given out again; a crash of the process loses nothing.
   */
  readonly synchronous?: "full" | "normal";
  /** Whether a missing file is created. Default true. */
  readonly create?: boolean;
  /** Whether the file is only read; then it must exist. Default false. */
  readonly readonly?: boolean;
}

/** "Srtm": marks an SQLite file as ours (`PRAGMA application_id`). */
const applicationId = 0x53_72_74_6d;

/** How long opening may wait for others that create, recover or checkpoint the same file, in ms. */
const openingPatience = 10_000;

/** Opens `path`, marks it as ours when it is new, and puts it in write-ahead mode. */
export function openDatabase(path: string, options: SqliteFileOptions): Database.Database {
  checkPath(path, options);
  let database: Database.Database | undefined;
  try {
    const opened = retain(new Database(path, { readonly: options.readonly === true, timeout: 0 }));
    database = opened;
    untilFree(path, () => prepare(opened, path, options));
    return opened;
  } catch (error) {
    database?.close();
    throw toFailure(error, path);
  }
}

/** A database in memory, new or from an image. */
export function openInMemory(image?: Uint8Array): Database.Database {
  const database = retain(image === undefined ? new Database(":memory:") : new Database(Buffer.from(image)));
  pragma(database, "trusted_schema = OFF");
  pragma(database, "foreign_keys = OFF");
  if (image === undefined) pragma(database, `application_id = ${applicationId}`);
  return database;
}

function prepare(database: Database.Database, path: string, options: SqliteFileOptions): void {
  pragma(database, "trusted_schema = OFF");
  pragma(database, "foreign_keys = OFF");
  pragma(database, `cache_size = -${cacheSize}`);
  const isOurs = checkOwner(database, path);
  if (options.readonly === true) return;
  const mode = pragma(database, "journal_mode = WAL");
  if (mode !== "wal") {
    const message = `${path} is on a file system without shared memory (journal mode ${String(mode)}); keep it on a local disk`;
    throw new Failure("invalid_argument", message);
  }
  pragma(database, `synchronous = ${options.synchronous === "normal" ? "NORMAL" : "FULL"}`);
  if (isOurs) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    if (!checkOwner(database, path)) pragma(database, `application_id = ${applicationId}`);
    database.exec("COMMIT");
  } finally {
    if (database.inTransaction) database.exec("ROLLBACK");
  }
}

/** Whether the file bears our mark; false for an empty one. @throws Failure `not_a_space` for any other database. */
function checkOwner(database: Database.Database, path: string): boolean {
  const owner = pragma(database, "application_id");
  if (owner === applicationId) return true;
  const hasTables = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
  if (owner === 0 && !hasTables) return false;
  throw new Failure("not_a_space", `${path} is the SQLite database of another application; name another file`);
}

/**
 * Tries until no other connection is in the way. Sleeps in between, which blocks the event loop: only opening does so,
 * and the others are in the way only while they create the file, recover it after a crash, or close it as the last.
 */
function untilFree(path: string, attempt: () => void): void {
  for (const end = Date.now() + openingPatience; ;) {
    try {
      attempt();
      return;
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (Date.now() > end) {
        const message = `${path} was locked by another process for ${openingPatience} ms; end that process and try again`;
        throw new Failure("unavailable", message, { cause: error, canRetry: true });
      }
    }
    pauseNow();
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps for a millisecond or two, the event loop with it. */
export function pauseNow(): void {
  Atomics.wait(sleeper, 0, 0, 1 + Math.random());
}

/** Names the usual mistakes before SQLite does, whose messages do not tell them apart. */
function checkPath(path: string, options: SqliteFileOptions): void {
  const folder = dirname(path);
  const entry = stat(path);
  if (entry === undefined) {
    if (options.readonly === true || options.create === false) {
      throw new Failure("invalid_argument", `there is no file ${path}; check the path, or create it first`);
    }
    if (stat(folder)?.isDirectory() !== true) {
      throw new Failure("invalid_argument", `there is no folder ${folder}; make it first`);
    }
    checkWritable(folder, `the folder ${folder} is read-only, so ${path} cannot be created`);
    return;
  }
  if (entry.isDirectory()) {
    throw new Failure("invalid_argument", `${path} is a folder; name a file in it, such as ${join(path, "state.db")}`);
  }
  if (!entry.isFile()) throw new Failure("invalid_argument", `${path} is not a regular file; name another`);
  if (options.readonly === true) return;
  checkWritable(path, `the file ${path} is read-only`);
  // SQLite keeps its -wal and -shm files beside the file itself, not beside a link to it.
  const home = dirname(realpathSync(path));
  checkWritable(home, `the folder ${home} is read-only, so SQLite cannot keep its -wal file there`);
}

function checkWritable(path: string, problem: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (cause) {
    throw new Failure("read_only", `${problem}; make it writable for this user`, { cause });
  }
}

function stat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    const message = `${path} cannot be reached; check the path and the permissions of its folders`;
    throw new Failure("invalid_argument", message, { cause });
  }
}
