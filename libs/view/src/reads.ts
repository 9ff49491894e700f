import type { Database, Statement } from "better-sqlite3";
import { bufferOf, bytesOf, justAfter, type Bytes, type Key, type KeyRange, type Offset } from "@seriatim/protocol";
import { partitionAt, stretchBits } from "./place.ts";
import type { Entry, HistoryEntry, HistoryOptions, ScanOptions } from "./types.ts";

interface Latest {
  readonly version: number;
  readonly place: number;
  readonly live: number;
}

interface CurrentRow {
  readonly version: number;
  /** Null when it was deleted. */
  readonly value: Buffer | null;
}

interface EntryRow {
  readonly key: Buffer;
  readonly version: number;
  readonly value: Buffer;
}

interface HistoryRow {
  readonly place: number;
  readonly version: number;
  readonly value: Buffer | null;
  readonly id: string | null;
  readonly agent: string | null;
  readonly time: number;
}

interface Bounds {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly at: number;
}

type Page = Bounds & { readonly limit: number };

/** The key's last write at or below the snapshot, of a key written after it. */
const earlier = (column: string): string =>
  `(SELECT ${column} FROM view_versions AS e WHERE e.key = l.key AND e.version <= @at ORDER BY e.version DESC LIMIT 1)`;

const scan = (direction: "ASC" | "DESC"): string =>
  `SELECT l.key, v.version, v.value
     FROM view_latest AS l CROSS JOIN view_versions AS v
       ON v.place = CASE WHEN l.version <= @at THEN l.place ELSE ${earlier("e.place")} END
    WHERE l.key >= @from AND l.key < @to AND (l.live = 1 OR l.version > @at) AND v.value IS NOT NULL
    ORDER BY l.key ${direction} LIMIT @limit`;

/** Reads at a snapshot. Keys whose last write is at or below it, nearly all, are found without a search. */
export class Reads {
  readonly #latest: Statement<[Buffer], Latest>;
  readonly #earlier: Statement<[Buffer, number], Latest>;
  readonly #current: Statement<[Buffer], CurrentRow>;
  readonly #value: Statement<[number], Buffer>;
  readonly #scan: Statement<[Page], EntryRow>;
  readonly #scanReverse: Statement<[Page], EntryRow>;
  readonly #count: Statement<[Bounds], number>;
  readonly #history: Statement<[Buffer, number, number], HistoryRow>;

  constructor(database: Database) {
    this.#latest = database.prepare("SELECT version, place, live FROM view_latest WHERE key = ?");
    this.#earlier = database.prepare(
      `SELECT version, place, value IS NOT NULL AS live FROM view_versions
        WHERE key = ? AND version <= ? ORDER BY version DESC LIMIT 1`,
    );
    this.#current = database.prepare(
      `SELECT l.version, v.value FROM view_latest AS l CROSS JOIN view_versions AS v ON v.place = l.place WHERE l.key = ?`,
    );
    this.#value = database.prepare<[number], Buffer>("SELECT value FROM view_versions WHERE place = ?").pluck();
    this.#scan = database.prepare(scan("ASC"));
    this.#scanReverse = database.prepare(scan("DESC"));
    this.#count = database
      .prepare<[Bounds], number>(
        `SELECT count(*) FROM view_latest AS l WHERE l.key >= @from AND l.key < @to
            AND CASE WHEN l.version <= @at THEN l.live ELSE ${earlier("e.value IS NOT NULL")} END`,
      )
      .pluck();
    this.#history = database.prepare(
      `SELECT v.place, v.version, v.value, i.id, i.agent, i.time
         FROM view_versions AS v CROSS JOIN view_intents AS i
           ON i.place = ((v.place >> ${stretchBits}) << ${stretchBits}) + v.version
        WHERE v.key = ? AND v.version < ? ORDER BY v.version DESC LIMIT ?`,
    );
  }

  /** In one statement where it can be: that is most of what a read costs. */
  get(key: Key, at: Offset): Entry | undefined {
    const bytes = bufferOf(key);
    const current = this.#current.get(bytes);
    if (current === undefined || current.version <= at) return entryOf(key, current);
    const found = this.#earlier.get(bytes, at);
    return found === undefined ? undefined : entryOf(key, { ...found, value: this.#value.get(found.place) ?? null });
  }

  version(key: Key, at: Offset): Offset | null {
    const found = this.#find(key, at);
    return found === undefined || found.live === 0 ? null : found.version;
  }

  scan(range: KeyRange, at: Offset, { limit, reverse = false, after }: ScanOptions): Entry[] {
    const statement = reverse ? this.#scanReverse : this.#scan;
    const rows = statement.all({ ...bounds(rest(range, after, reverse), at), limit });
    return rows.map(({ key, version, value }) => ({ key: bytesOf(key), version, value }));
  }

  count(range: KeyRange, at: Offset): number {
    return this.#count.get(bounds(range, at)) ?? 0;
  }

  history(key: Key, { limit = -1, before = Number.MAX_SAFE_INTEGER }: HistoryOptions): HistoryEntry[] {
    const rows = this.#history.all(bufferOf(key), before, limit);
    return rows.map(({ place, version, value, id, agent, time }) => ({
      partition: partitionAt(place),
      version,
      value,
      id,
      agent,
      time,
    }));
  }

  #find(key: Key, at: Offset): Latest | undefined {
    const bytes = bufferOf(key);
    const latest = this.#latest.get(bytes);
    return latest === undefined || latest.version <= at ? latest : this.#earlier.get(bytes, at);
  }
}

function entryOf(key: Key, row: CurrentRow | undefined): Entry | undefined {
  return row === undefined || row.value === null ? undefined : { key, version: row.version, value: row.value };
}

function bounds({ from, to }: KeyRange, at: Offset): Bounds {
  return { from: bufferOf(from), to: bufferOf(to), at };
}

/** What of a range comes after `after` in the scan's direction. */
function rest({ from, to }: KeyRange, after: Key | undefined, reverse: boolean): KeyRange {
  if (after === undefined) return { from, to };
  if (reverse) return { from, to: lower(to, after) };
  const next = justAfter(after);
  return { from: next > from ? next : from, to };
}

function lower(a: Bytes, b: Bytes): Bytes {
  return a < b ? a : b;
}
