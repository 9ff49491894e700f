import type { SqliteFile } from "@seriatim/log";
import { bufferOf, partitionKeyOfRange, type KeyRange, type Offset } from "@seriatim/protocol";
import { lastPlace, partitionAt, placeOf } from "./place.ts";
import { Query } from "./query.ts";

/** Places of writes in one partition. */
export interface Stretch {
  /** Exclusive. */
  readonly first: number;
  /** Inclusive. */
  readonly last: number;
}

const placeIn = (table: string): string => `(SELECT place FROM ${table} WHERE key >= @from AND key < @to LIMIT 1)`;

/** Where the writes after a snapshot stand in view_versions. */
export class Stretches {
  readonly #writes: Query<[number, number], number>;
  readonly #partitions: Query<[], number>;
  readonly #placeInRange: Query<[{ from: Buffer; to: Buffer }], number>;

  constructor(file: SqliteFile) {
    this.#writes = Query.ofValues(
      file,
      "SELECT writes FROM view_intents WHERE place > ? AND place <= ? ORDER BY place DESC LIMIT 1",
    );
    this.#partitions = Query.ofValues(file, "SELECT partition FROM view_positions");
    this.#placeInRange = Query.ofValues(
      file,
      `SELECT coalesce(${placeIn("view_latest")}, ${placeIn("view_deleted")}, -1)`,
    );
  }

  /** The writes above `after` in the partitions that the keys of `range` stand in, as far as there are any. */
  since(range: KeyRange, after: Offset): Stretch[] {
    return this.#partitionsOf(range)
      .map((partition) => this.between(partition, after, Number.MAX_SAFE_INTEGER))
      .filter(({ first, last }) => last > first);
  }

  /** The writes in `(after, upTo]`. */
  between(partition: number, after: Offset, upTo: Offset): Stretch {
    return { first: this.#lastWriteAt(partition, after), last: this.#lastWriteAt(partition, upTo) };
  }

  /** All keys under one partition key stand in one partition, as a key of the range shows. */
  #partitionsOf(range: KeyRange): number[] {
    if (partitionKeyOfRange(range) === undefined) return this.#partitions.all();
    const place = this.#placeInRange.get({ from: bufferOf(range.from), to: bufferOf(range.to) }) ?? -1;
    return place < 0 ? [] : [partitionAt(place)];
  }

  /** The place of the last write at or below an offset. */
  #lastWriteAt(partition: number, offset: Offset): number {
    const writes = this.#writes.get(lastPlace(partition, -1), lastPlace(partition, offset));
    return placeOf(partition, writes ?? 0);
  }
}

export function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { first, last }) => sum + last - first, 0);
}
