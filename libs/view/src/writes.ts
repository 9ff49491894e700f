import type { Database, Statement } from "better-sqlite3";
import { bufferOf, bytesOf, partitionKeyOfRange, type Key, type KeyRange, type Offset } from "@seriatim/protocol";
import { lastPlace, partitionAt, placeOf } from "./place.ts";
import type { WrittenKey } from "./types.ts";

interface Row {
  readonly key: Buffer;
  readonly version: number;
}

interface Stretch {
  /** Exclusive. */
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

/** How many rows one page of `recent` takes at once. */
const pageSize = 4096;

/** Who wrote what last: deletes are writes like others here. */
export class Writes {
  readonly #last: Statement<[Buffer], { version: number; place: number }>;
  readonly #writes: Statement<[number, number], number>;
  readonly #partitions: Statement<[], number>;
  readonly #changes: Statement<[number, number, number], Row>;
  readonly #placeInRange: Statement<[Buffer, Buffer], number>;
  readonly #keysInRange: Statement<[Buffer, Buffer, number], number>;
  readonly #newestByKey: Statement<[Buffer, Buffer, number, number], Row>;
  readonly #newestByVersion: Statement<[number, number, Buffer, Buffer, number], Row>;

  constructor(database: Database) {
    this.#last = database.prepare("SELECT version, place FROM view_latest WHERE key = ?");
    this.#writes = database
      .prepare<[number, number], number>(
        "SELECT writes FROM view_intents WHERE place > ? AND place <= ? ORDER BY place DESC LIMIT 1",
      )
      .pluck();
    this.#partitions = database.prepare<[], number>("SELECT partition FROM view_positions").pluck();
    this.#changes = database.prepare(
      "SELECT key, version FROM view_versions WHERE place > ? AND place <= ? ORDER BY place LIMIT ?",
    );
    this.#placeInRange = database
      .prepare<[Buffer, Buffer], number>("SELECT place FROM view_latest WHERE key >= ? AND key < ? LIMIT 1")
      .pluck();
    this.#keysInRange = database
      .prepare<[Buffer, Buffer, number], number>(
        "SELECT count(*) FROM (SELECT 1 FROM view_latest WHERE key >= ? AND key < ? LIMIT ?)",
      )
      .pluck();
    this.#newestByKey = database.prepare(
      "SELECT key, version FROM view_latest WHERE key >= ? AND key < ? AND version > ? ORDER BY key LIMIT ?",
    );
    this.#newestByVersion = database.prepare(
      `SELECT v.key, v.version FROM view_versions AS v NOT INDEXED CROSS JOIN view_latest AS l ON l.key = v.key
        WHERE v.place > ? AND v.place <= ? AND v.key >= ? AND v.key < ? AND l.place = v.place
        ORDER BY v.key LIMIT ?`,
    );
  }

  last(key: Key): Offset {
    return this.#last.get(bufferOf(key))?.version ?? -1;
  }

  changes(partition: number, after: Offset, upTo: Offset, limit = -1): WrittenKey[] {
    const { first, last } = this.#between(partition, after, upTo);
    return this.#changes.all(first, last, limit).map(written);
  }

  *recent(partition: number, after: Offset): Iterable<WrittenKey> {
    const { first, last } = this.#between(partition, after, Number.MAX_SAFE_INTEGER);
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
    const from = bufferOf(range.from);
    const to = bufferOf(range.to);
    const stretches = this.#partitionsOf(range, from, to)
      .map((partition) => this.#between(partition, after, Number.MAX_SAFE_INTEGER))
      .filter(({ first, last }) => last > first);
    const writes = stretches.reduce((sum, { first, last }) => sum + last - first, 0);
    if (writes === 0) return [];
    const keys = this.#keysInRange.get(from, to, writes + 1) ?? 0;
    if (keys <= writes) return this.#newestByKey.all(from, to, after, limit).map(written);
    const found = stretches.flatMap(({ first, last }) => this.#newestByVersion.all(first, last, from, to, limit));
    const inOrder = stretches.length > 1 ? found.toSorted((a, b) => Buffer.compare(a.key, b.key)) : found;
    return inOrder.slice(0, limit).map(written);
  }

  /** All keys under one partition key stand in one partition, as a key of the range shows. */
  #partitionsOf(range: KeyRange, from: Buffer, to: Buffer): number[] {
    if (partitionKeyOfRange(range) === undefined) return this.#partitions.all();
    const place = this.#placeInRange.get(from, to);
    return place === undefined ? [] : [partitionAt(place)];
  }

  #between(partition: number, after: Offset, upTo: Offset): Stretch {
    return { first: this.#lastWriteAt(partition, after), last: this.#lastWriteAt(partition, upTo) };
  }

  /** The place of the last write at or below an offset. */
  #lastWriteAt(partition: number, offset: Offset): number {
    const writes = this.#writes.get(lastPlace(partition, -1), lastPlace(partition, offset));
    return placeOf(partition, writes ?? 0);
  }
}

function written({ key, version }: Row): WrittenKey {
  return { key: bytesOf(key), version };
}
