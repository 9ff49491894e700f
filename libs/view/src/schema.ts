import type { Database } from "better-sqlite3";
import { Failure } from "@seriatim/protocol";

/** Raised whenever older code could misread the tables. */
export const formatVersion = 3;

/**
 * view_versions has every write at `place` (see place.ts), numbered from 1 in its partition in the order of the log;
 * values stand last in their row and are read only when asked for, so that large ones do not slow what asks for keys.
 *
 * Three tables find a write by its key. view_latest has the live keys, each with its last write: reading the newest
 * state, the usual case, needs no search among versions and steps over no key that was deleted. view_earlier has all
 * other writes: those that a later one of the key replaced, and the deletes. So a new key costs one row in one of them.
 * view_deleted has the last delete of each key that is not live; of one that is live again it may keep an old one.
 *
 * view_intents has one row a verdict at the place of its offset; `writes` is the number of the last write up to and
 * including it. Its index holds the ids claimed, by `hash` (id-hash.ts): not a unique one, since an id older than the
 * window may be claimed again by who breaks the rules, and no verdict may stop the fold.
 *
 * view_holds has what more there is to say of a verdict on a hold, at its place, found by the hash of its id.
 */
const tables = `
  CREATE TABLE view_meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
  CREATE TABLE view_positions (
    partition INTEGER PRIMARY KEY,
    offset INTEGER NOT NULL,
    chain BLOB NOT NULL,
    digest BLOB NOT NULL,
    time INTEGER NOT NULL,
    next INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    skipped INTEGER NOT NULL,
    writes INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE view_versions (
    place INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    key BLOB NOT NULL,
    value BLOB
  ) STRICT;
  CREATE TABLE view_latest (
    key BLOB PRIMARY KEY,
    version INTEGER NOT NULL,
    place INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE view_earlier (
    key BLOB NOT NULL,
    version INTEGER NOT NULL,
    place INTEGER NOT NULL,
    live INTEGER NOT NULL,
    PRIMARY KEY (key, version)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE view_deleted (
    key BLOB PRIMARY KEY,
    version INTEGER NOT NULL,
    place INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE view_intents (
    place INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    writes INTEGER NOT NULL,
    claims INTEGER NOT NULL,
    hash INTEGER,
    kind TEXT NOT NULL,
    code TEXT,
    reason TEXT,
    first INTEGER,
    id TEXT,
    agent TEXT,
    digest BLOB NOT NULL,
    conflicts TEXT,
    result BLOB
  ) STRICT;
  CREATE INDEX view_claims ON view_intents (hash) WHERE claims = 1;
  CREATE TABLE view_holds (
    place INTEGER PRIMARY KEY,
    hash INTEGER NOT NULL,
    number INTEGER NOT NULL,
    deadline INTEGER NOT NULL,
    timeout INTEGER NOT NULL,
    name TEXT NOT NULL,
    undo TEXT
  ) STRICT;
  CREATE INDEX view_holds_by_id ON view_holds (hash);
  CREATE TABLE view_tallies (
    partition INTEGER NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (partition, name)
  ) STRICT, WITHOUT ROWID;
`;

/** Creates what is missing. To be run in a transaction; harmless when another process was faster. */
export function createTables(database: Database): void {
  if (storedFormat(database) !== undefined) return;
  database.exec(tables);
  database.prepare("INSERT INTO view_meta (name, value) VALUES ('format', ?)").run(BigInt(formatVersion));
}

/**
 * Whether the tables of this format are there.
 * @throws Failure `unreadable` when they have a format that this code does not know.
 */
export function hasTables(database: Database, path: string): boolean {
  const format = storedFormat(database);
  if (format === undefined) return false;
  if (format === formatVersion) return true;
  const remedy =
    "upgrade Seriatim, or, if the file holds nothing but a view, delete it: it is rebuilt from the verdicts";
  throw new Failure(
    "unreadable",
    `the view in ${path} has format ${format}; this version of Seriatim reads ${formatVersion}: ${remedy}`,
  );
}

function storedFormat(database: Database): number | undefined {
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'view_meta'").get();
  if (exists === undefined) return undefined;
  return database.prepare<[], number>("SELECT value FROM view_meta WHERE name = 'format'").pluck().get();
}
