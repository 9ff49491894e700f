import type { SqliteFile } from "@seriatim/log";
import { bufferOf, type KeyRange, type Offset } from "@seriatim/protocol";
import { Query } from "./query.ts";
import { lengthOf, type Stretch, type Stretches } from "./stretches.ts";

interface Asked {
  readonly from: Buffer;
  readonly to: Buffer;
  readonly at: number;
  readonly limit: number;
}

export interface EntryRow {
  readonly key: Buffer;
  readonly version: number;
  readonly value: Buffer;
}

/** The place of a key's last write at the snapshot, if that was no delete. */
const placeAt = (key: string): string =>
  `(SELECT CASE WHEN e.live THEN e.place END FROM view_earlier AS e
     WHERE e.key = ${key} AND e.version <= @at ORDER BY e.version DESC LIMIT 1)`;

/** Keys deleted since the snapshot, found among the keys that were ever deleted. */
const byKey = {
  source: "view_deleted AS d",
  where: "d.version > @at",
};
/** Or among the writes since. */
const byPlace = {
  source: "view_versions AS w NOT INDEXED CROSS JOIN view_deleted AS d ON d.key = w.key AND d.place = w.place",
  where: "w.place > @first AND w.place <= @last AND w.value IS NULL",
};

function text(columns: string, { source, where }: typeof byKey): string {
  return `SELECT ${columns} FROM ${source} CROSS JOIN view_versions AS v ON v.place = ${placeAt("d.key")}
    WHERE ${where} AND d.key >= @from AND d.key < @to
      AND NOT EXISTS (SELECT 1 FROM view_latest AS l WHERE l.key = d.key)`;
}

const columns = "d.key, v.version, v.value";

/**
 * Keys that were live at a snapshot and are deleted now, so that view_latest does not lead to them. Nearly always there
 * are none: nothing at all was written since, or few things.
 */
export class Vanished {
  readonly #stretches: Stretches;
  readonly #deletedInRange: Query<[Asked], number>;
  readonly #entries: Record<"ASC" | "DESC", Ways<EntryRow>>;
  readonly #count: Ways<number>;

  constructor(file: SqliteFile, stretches: Stretches) {
    this.#stretches = stretches;
    this.#deletedInRange = Query.ofValues(
      file,
      "SELECT count(*) FROM (SELECT 1 FROM view_deleted WHERE key >= @from AND key < @to LIMIT @limit)",
    );
    const entries = (direction: string): Ways<EntryRow> => {
      const end = `ORDER BY d.key ${direction} LIMIT @limit`;
      return {
        byKey: Query.ofRows(file, `${text(columns, byKey)} ${end}`),
        byPlace: Query.ofRows(file, `${text(columns, byPlace)} ${end}`),
      };
    };
    this.#entries = { ASC: entries("ASC"), DESC: entries("DESC") };
    this.#count = {
      byKey: Query.ofValues(file, text("count(*)", byKey)),
      byPlace: Query.ofValues(file, text("count(*)", byPlace)),
    };
  }

  /** At least the first `limit` of them, in order. */
  entries(range: KeyRange, at: Offset, limit: number, reverse: boolean): EntryRow[] {
    return this.#find(this.#entries[reverse ? "DESC" : "ASC"], range, at, limit);
  }

  count(range: KeyRange, at: Offset): number {
    return this.#find(this.#count, range, at, -1).reduce((sum, count) => sum + count, 0);
  }

  /** By way of what is fewer, as in `Writes.newestIn`. */
  #find<Row>({ byKey: throughKeys, byPlace: throughPlaces }: Ways<Row>, range: KeyRange, at: Offset, limit: number) {
    const stretches = range.from < range.to ? this.#stretches.since(range, at) : [];
    const writes = lengthOf(stretches);
    if (writes === 0) return [];
    const asked = { from: bufferOf(range.from), to: bufferOf(range.to), at, limit };
    const keys = this.#deletedInRange.get({ ...asked, limit: writes + 1 }) ?? 0;
    if (keys === 0) return [];
    if (keys <= writes) return throughKeys.all(asked);
    return stretches.flatMap((stretch) => throughPlaces.all({ ...asked, ...stretch }));
  }
}

interface Ways<Row> {
  readonly byKey: Query<[Asked], Row>;
  readonly byPlace: Query<[Asked & Stretch], Row>;
}
