import type { Database } from "better-sqlite3";
import { pragma } from "./retained.ts";

/** How much of a file is kept in memory, in KiB. */
export const cacheSize = 16_000;

/** While much is written: 128 MiB, so that the pages that a large transaction changes are written once. */
const loadingCacheSize = 128 * 1024;

/** After how many pages what was committed is copied from the write-ahead log into the file: SQLite's own default. */
const checkpointAfter = 1_000;

/** While much is written: 64 MiB. Copying waits for the disk, and a page that many transactions change is copied once. */
const loadingCheckpointAfter = 16_384;

/**
 * Trades memory for fewer waits for the disk, until what is returned is called. What is committed meanwhile is as safe
 * as ever.
 */
export function beginLoading(database: Database): () => void {
  set(database, loadingCacheSize, loadingCheckpointAfter);
  return () => {
    set(database, cacheSize, checkpointAfter);
    // Copies as much as it can: where another connection is in the way, the next commits do the rest.
    pragma(database, "wal_checkpoint(TRUNCATE)");
  };
}

function set(database: Database, cache: number, checkpoint: number): void {
  pragma(database, `cache_size = -${cache}`);
  pragma(database, `wal_autocheckpoint = ${checkpoint}`);
}
