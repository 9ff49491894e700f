import type { Database } from "better-sqlite3";

/*
 * On Node 24 a process aborts when the garbage collector frees an object of better-sqlite3 12 while no JavaScript runs
 * ("RemoveEnvironmentCleanupHook: (env) != nullptr"). So what was opened and prepared is never garbage: some sixty
 * statements each time that a file is opened, and none later. A file that was closed is closed all the same.
 */
const retained = new Set<unknown>();
const isNeeded = Number(process.versions.node.split(".")[0]) >= 24;

/** `database`, which with all that it prepares is kept for as long as the process lives, where that is needed. */
export function retain(database: Database): Database {
  if (!isNeeded) return database;
  retained.add(database);
  const prepare = database.prepare.bind(database);
  database.prepare = ((sql: string) => {
    const statement = prepare(sql);
    retained.add(statement);
    return statement;
  }) as typeof database.prepare;
  return database;
}

/** Sets or asks a pragma, by a statement that is kept; the first value that it answers with. */
export function pragma(database: Database, source: string): unknown {
  const statement = database.prepare(`PRAGMA ${source}`);
  if (statement.reader) return statement.pluck().get();
  statement.run();
  return undefined;
}
