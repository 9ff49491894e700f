import type { SqliteFile } from "@seriatim/log";
import { bufferOf, bytesOf, type Key, type KeyRange, type Offset } from "@seriatim/protocol";
import { Query } from "./query.ts";
import { lengthOf, type Stretches } from "./stretches.ts";
import type { WrittenKey } from "./types.ts";

interface Row {
  readonly key: Buffer;
  readonly version: number;
}

interface InRange {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly limit: number;
}

/** Of the last write of a key, deletes among them. */
const ofKey = (column: string, key: string): string =>
  `coalesce(
     (SELECT ${column} FROM view_latest WHERE key = ${key}),
     (SELECT ${column} FROM view_deleted WHERE key = ${key}), -1)`;

/** How many rows one page of `recent` takes at once. */
const pageSize = 4096;

/** Who wrote what last: deletes are writes like others here. */
export class Writes {
  readonly #stretches: Stretches;
  readonly #last: Query<[Buffer, Buffer], number>;
  readonly #changes: Query<[number, number, number], Row>;
  readonly #keysInRange: Query<[InRange], number>;
  readonly #newestByKey: Query<[InRange & { after: number }], Row>;
  readonly #newestByPlace: Query<[InRange & { first: number; last: number }], Row>;

  constructor(file: SqliteFile, stretches: Stretches) {
    this.#stretches = stretches;
    this.#last = Query.ofValues(file, `SELECT ${ofKey("version", "?")}`);
    this.#changes = Query.ofRows(
      file,
      "SELECT key, version FROM view_versions WHERE place > ? AND place <= ? ORDER BY place LIMIT ?",
    );
    const inRange = "key >= @from AND key < @to";
    const counted = (table: string): string =>
      `(SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${inRange} LIMIT @limit))`;
    this.#keysInRange = Query.ofValues(file, `SELECT ${counted("view_latest")} + ${counted("view_deleted")}`);
    this.#newestByKey = Query.ofRows(
      file,
      `SELECT key, version FROM view_latest WHERE ${inRange} AND version > @after
       UNION ALL
       SELECT key, version FROM view_deleted AS d WHERE ${inRange} AND version > @after
          AND NOT EXISTS (SELECT 1 FROM view_latest AS l WHERE l.key = d.key)
       ORDER BY key LIMIT @limit`,
    );
    this.#newestByPlace = Query.ofRows(
      file,
      `SELECT v.key, v.version FROM view_versions AS v NOT INDEXED
        WHERE v.place > @first AND v.place <= @last AND v.key >= @from AND v.key < @to
          AND v.place = ${ofKey("place", "v.key")}
        ORDER BY v.key LIMIT @limit`,
    );
  }

  last(key: Key): Offset {
    const bytes = bufferOf(key);
    return this.#last.get(bytes, bytes) ?? -1;
  }

  changes(partition: number, after: Offset, upTo: Offset, limit = -1): WrittenKey[] {
    const { first, last } = this.#stretches.between(partition, after, upTo);
    return this.#changes.all(first, last, limit).map(written);
  }

  *recent(partition: number, after: Offset): Iterable<WrittenKey> {
    const { first, last } = this.#stretches.between(partition, after, Number.MAX_SAFE_INTEGER);
    for (let done = first; done < last; done += pageSize) {
      yield* this.#changes.all(done, Math.min(done + pageSize, last), -1).map(written);
    }
  }

  /**
   * Two ways lead to the answer: through the keys of the range, or through the writes after the snapshot. A range may
   * hold millions of keys of which one was written lately, and a quiet range of two keys may be asked for after a
   * million writes elsewhere. How many writes there are is known at once from the places; how many keys there are is
   * counted only up to that number, so that the count costs no more than the way that it decides upon.
   */
  newestIn(range: KeyRange, after: Offset, limit: number): WrittenKey[] {
    const stretches = this.#stretches.since(range, after);
    const writes = lengthOf(stretches);
    if (writes === 0) return [];
    const bounds = { from: bufferOf(range.from), to: bufferOf(range.to) };
    const keys = this.#keysInRange.get({ ...bounds, limit: writes + 1 }) ?? 0;
    if (keys <= writes) return this.#newestByKey.all({ ...bounds, after, limit }).map(written);
    const found = stretches.flatMap((stretch) => this.#newestByPlace.all({ ...bounds, ...stretch, limit }));
    const inOrder = stretches.length > 1 ? found.toSorted((a, b) => Buffer.compare(a.key, b.key)) : found;
    return inOrder.slice(0, limit).map(written);
  }
}

function written({ key, version }: Row): WrittenKey {
  return { key: bytesOf(key), version };
}
