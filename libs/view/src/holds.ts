import type { SqliteFile } from "@seriatim/log";
import { assert, bytesOf } from "@seriatim/protocol";
import type { Offset } from "@seriatim/protocol";
import { hashOfId } from "./id-hash.ts";
import { lastPlace, numberAt } from "./place.ts";
import { Query } from "./query.ts";
import type { DecidedOutcome, HeldEffect, RecentHold } from "./types.ts";

type Held = Extract<DecidedOutcome, { readonly kind: "held" }>;

interface Row {
  readonly place: number;
  readonly number: number;
  readonly deadline: number;
  readonly id: string;
  readonly digest: Buffer;
}

/** How many rows one page of `recent` takes at once. */
const pageSize = 4096;

/** What was held, by id and by offset. */
export class Holds {
  readonly #at: Query<[number], Omit<Held, "kind">>;
  readonly #of: Query<[{ hash: number; id: string; before: number; last: number }], Row>;
  readonly #recent: Query<[number, number, number], Row>;

  constructor(file: SqliteFile) {
    const row = "SELECT h.place, h.number, h.deadline, i.id, i.digest FROM view_holds AS h";
    const decided = "CROSS JOIN view_intents AS i ON i.place = h.place";
    this.#at = Query.ofRows(
      file,
      'SELECT number AS "index", name, undo, deadline, timeout FROM view_holds WHERE place = ?',
    );
    this.#of = Query.ofRows(
      file,
      `${row} INDEXED BY view_holds_by_id ${decided}
        WHERE h.hash = @hash AND i.id = @id AND h.place > @before AND h.place <= @last ORDER BY h.place`,
    );
    this.#recent = Query.ofRows(
      file,
      `${row} NOT INDEXED ${decided} WHERE h.place > ? AND h.place <= ? ORDER BY h.place LIMIT ?`,
    );
  }

  at(place: number): Held {
    const found = this.#at.get(place);
    assert(found !== undefined, `the hold at place ${place} of the view has no details`);
    return { kind: "held", ...found };
  }

  of(partition: number, id: string): HeldEffect[] {
    const places = { before: lastPlace(partition, -1), last: lastPlace(partition, Number.MAX_SAFE_INTEGER) };
    return this.#of.all({ hash: hashOfId(id), id, ...places }).map(held);
  }

  *recent(partition: number, after: Offset): Iterable<RecentHold> {
    const last = lastPlace(partition, Number.MAX_SAFE_INTEGER);
    for (let done: number | undefined = lastPlace(partition, after); done !== undefined;) {
      const rows: Row[] = this.#recent.all(done, last, pageSize);
      for (const row of rows) yield { id: row.id, ...held(row) };
      done = rows.length < pageSize ? undefined : rows.at(-1)?.place;
    }
  }
}

function held({ place, number, deadline, digest }: Row): HeldEffect {
  return { offset: numberAt(place), index: number, deadline, digest: bytesOf(digest) };
}
