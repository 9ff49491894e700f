import type { Database } from "better-sqlite3";
import { Failure } from "@seriatim/protocol";

/** Raised whenever older code could misread the tables. */
const formatVersion = 1;

/**
 * What the verdicts and the effects log were folded into. `open`: something is still to be done about it; only those are
 * looked for by place, and a finished effect costs its row alone.
 */
const tables = `
  CREATE TABLE effects_meta (name TEXT PRIMARY KEY, value ANY) STRICT, WITHOUT ROWID;
  CREATE TABLE effects_positions (
    partition INTEGER PRIMARY KEY,
    applied INTEGER NOT NULL,
    chain BLOB NOT NULL,
    at INTEGER NOT NULL,
    next_verdict INTEGER NOT NULL,
    next_effect INTEGER NOT NULL,
    last_effect BLOB NOT NULL
  ) STRICT;
  CREATE TABLE effects (
    id INTEGER PRIMARY KEY,
    partition INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    side TEXT NOT NULL,
    digest BLOB NOT NULL,
    open INTEGER NOT NULL,
    state TEXT NOT NULL,
    intent TEXT,
    applied INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    definition TEXT,
    progress TEXT NOT NULL,
    result BLOB,
    own_result BLOB,
    arguments BLOB
  ) STRICT;
  CREATE UNIQUE INDEX effects_by_place ON effects (partition, offset, idx, side, digest);
  CREATE INDEX effects_open ON effects (partition, offset, idx) WHERE open = 1;
  CREATE INDEX effects_states ON effects (state);
  CREATE INDEX effects_unfinished ON effects (partition, offset, idx) WHERE state <> 'done';
`;

/**
 * Creates the tables where they are missing, for the space with this genesis. To be run in a transaction.
 * @throws Failure `other_space` when they were filled from another space; `unreadable` when they have another format.
 */
export function prepareTables(database: Database, path: string, genesis: Uint8Array): void {
  const exists = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'effects_meta'").get();
  const store = (name: string, value: unknown): unknown =>
    database.prepare("INSERT INTO effects_meta (name, value) VALUES (?, ?)").run(name, value);
  if (exists === undefined) {
    database.exec(tables);
    store("format", BigInt(formatVersion));
    store("genesis", Buffer.from(genesis));
    return;
  }
  const select = database.prepare<[string]>("SELECT value FROM effects_meta WHERE name = ?").pluck();
  const format = select.get("format");
  const remedy = "delete it, which loses nothing, or name another file";
  if (format !== formatVersion)
    throw new Failure(
      "unreadable",
      `what was folded of the effects into ${path} has format ${String(format)}; this version reads ${formatVersion}: ${remedy}`,
    );
  const stored = select.get("genesis");
  if (!(stored instanceof Uint8Array) || Buffer.compare(stored, genesis) !== 0)
    throw new Failure("other_space", `the effects in ${path} are those of another space: ${remedy}`);
}
