import type { SqliteFile } from "@seriatim/log";
import { bufferOf, bytesOf, justAfter, type Bytes, type Key, type KeyRange, type Offset } from "@seriatim/protocol";
import { partitionAt, stretchBits } from "./place.ts";
import { Query } from "./query.ts";
import type { Stretches } from "./stretches.ts";
import type { Counted, CountOptions, Entry, HistoryEntry, HistoryOptions, ScanOptions } from "./types.ts";
import { Vanished, type EntryRow } from "./vanished.ts";

interface HistoryRow {
  readonly place: number;
  readonly version: number;
  readonly value: Buffer | null;
  readonly id: string | null;
  readonly agent: string | null;
  readonly time: number;
}

interface CountRow {
  readonly stepped: number;
  readonly live: number | null;
  readonly last: Buffer | null;
}

interface Page {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly at: number;
  readonly limit: number;
}

interface History {
  readonly key: Buffer;
  readonly before: number;
  readonly limit: number;
}

/** Of the last write of a key at or below the snapshot, both given twice; null when that is a delete or there is none. */
const columnAt = (column: string): string =>
  `coalesce(
     (SELECT ${column} FROM view_latest WHERE key = ? AND version <= ?),
     (SELECT CASE WHEN live THEN ${column} END FROM view_earlier
       WHERE key = ? AND version <= ? ORDER BY version DESC LIMIT 1))`;

/** Of the key's last write at or below the snapshot, where it was written again after it. */
const earlier = (column: string): string =>
  `(SELECT ${column} FROM view_earlier AS e WHERE e.key = l.key AND e.version <= @at ORDER BY e.version DESC LIMIT 1)`;

const scan = (direction: "ASC" | "DESC"): string =>
  `SELECT l.key, v.version, v.value
     FROM view_latest AS l CROSS JOIN view_versions AS v
       ON v.place = CASE WHEN l.version <= @at THEN l.place ELSE ${earlier("CASE WHEN e.live THEN e.place END")} END
    WHERE l.key >= @from AND l.key < @to
    ORDER BY l.key ${direction} LIMIT @limit`;

const count = `SELECT count(*) AS stepped, sum(live) AS live, max(key) AS last FROM (
    SELECT l.key, CASE WHEN l.version <= @at THEN 1 ELSE ${earlier("e.live")} END AS live
      FROM view_latest AS l WHERE l.key >= @from AND l.key < @to ORDER BY l.key LIMIT @limit)`;

const history = `SELECT v.place, v.version, v.value, i.id, i.agent, i.time
    FROM (SELECT place, version FROM view_latest WHERE key = @key AND version < @before
          UNION ALL SELECT place, version FROM view_earlier WHERE key = @key AND version < @before
          ORDER BY version DESC LIMIT @limit) AS w
      CROSS JOIN view_versions AS v ON v.place = w.place
      CROSS JOIN view_intents AS i ON i.place = ((v.place >> ${stretchBits}) << ${stretchBits}) + v.version
   ORDER BY v.version DESC`;

/**
 * Reads at a snapshot. Keys whose last write is at or below it, nearly all, are found without a search, and keys that
 * are deleted are not stepped over.
 */
export class Reads {
  readonly #file: SqliteFile;
  readonly #vanished: Vanished;
  readonly #entry: Query<[Buffer, number, Buffer, number], [number, Buffer]>;
  readonly #version: Query<[Buffer, number, Buffer, number], number | null>;
  readonly #scan: Record<"ASC" | "DESC", Query<[Page], EntryRow>>;
  readonly #count: Query<[Page], CountRow>;
  readonly #history: Query<[History], HistoryRow>;

  constructor(file: SqliteFile, stretches: Stretches) {
    this.#file = file;
    this.#vanished = new Vanished(file, stretches);
    this.#entry = Query.ofArrays(file, `SELECT version, value FROM view_versions WHERE place = ${columnAt("place")}`);
    this.#version = Query.ofValues(file, `SELECT ${columnAt("version")}`);
    this.#scan = { ASC: Query.ofRows(file, scan("ASC")), DESC: Query.ofRows(file, scan("DESC")) };
    this.#count = Query.ofRows(file, count);
    this.#history = Query.ofRows(file, history);
  }

  get(key: Key, at: Offset): Entry | undefined {
    const bytes = bufferOf(key);
    const row = this.#entry.get(bytes, at, bytes, at);
    return row === undefined ? undefined : { key, version: row[0], value: row[1] };
  }

  version(key: Key, at: Offset): Offset | null {
    const bytes = bufferOf(key);
    return this.#version.get(bytes, at, bytes, at) ?? null;
  }

  /** In one state of the file: a key that another process deletes meanwhile, or writes again, is to be found once. */
  scan(range: KeyRange, at: Offset, options: ScanOptions): Entry[] {
    return this.#file.readTogetherNow(() => this.#scanned(range, at, options));
  }

  /** As {@link scan}. */
  count(range: KeyRange, at: Offset, options: CountOptions): Counted {
    return this.#file.readTogetherNow(() => this.#counted(range, at, options));
  }

  history(key: Key, { limit = -1, before = Number.MAX_SAFE_INTEGER }: HistoryOptions): HistoryEntry[] {
    const rows = this.#history.all({ key: bufferOf(key), before, limit });
    return rows.map(({ place, version, value, id, agent, time }) => ({
      partition: partitionAt(place),
      version,
      value,
      id,
      agent,
      time,
    }));
  }

  #scanned(range: KeyRange, at: Offset, { limit, reverse = false, after }: ScanOptions): Entry[] {
    const left = rest(range, after, reverse);
    const page = this.#scan[reverse ? "DESC" : "ASC"].all({ ...bounds(left, at), limit });
    const last = page.length < limit ? undefined : page.at(-1)?.key;
    const vanished = this.#vanished.entries(upTo(left, last, reverse), at, limit, reverse);
    const rows = vanished.length === 0 ? page : merged([...page, ...vanished], reverse).slice(0, limit);
    return rows.map(({ key, version, value }) => ({ key: bytesOf(key), version, value }));
  }

  #counted(range: KeyRange, at: Offset, { limit, after }: CountOptions): Counted {
    const left = rest(range, after, false);
    const page = this.#count.get({ ...bounds(left, at), limit });
    const last = page === undefined || page.last === null || page.stepped < limit ? undefined : page.last;
    const entries = (page?.live ?? 0) + this.#vanished.count(upTo(left, last, false), at);
    return last === undefined ? { entries } : { entries, last: bytesOf(last) };
  }
}

function bounds({ from, to }: KeyRange, at: Offset): Omit<Page, "limit"> {
  return { from: bufferOf(from), to: bufferOf(to), at };
}

function merged(rows: readonly EntryRow[], reverse: boolean): EntryRow[] {
  const direction = reverse ? -1 : 1;
  return rows.toSorted((a, b) => direction * Buffer.compare(a.key, b.key));
}

/** What of a range comes after `after` in the scan's direction. */
function rest({ from, to }: KeyRange, after: Key | undefined, reverse: boolean): KeyRange {
  if (after === undefined) return { from, to };
  if (reverse) return { from, to: lower(to, after) };
  const next = justAfter(after);
  return { from: next > from ? next : from, to };
}

/** What of a range a page covers that ends in `last`; all of it when it came up short. */
function upTo({ from, to }: KeyRange, last: Buffer | undefined, reverse: boolean): KeyRange {
  if (last === undefined) return { from, to };
  return reverse ? { from: bytesOf(last), to } : { from, to: justAfter(bytesOf(last)) };
}

function lower(a: Bytes, b: Bytes): Bytes {
  return a < b ? a : b;
}
