import type { Database, Statement } from "better-sqlite3";

export type Value = number | string | Uint8Array | null;

/** How many rows one call inserts where there are many: a call costs as much as half a row. */
const rowsAtOnce = 16;

/** One statement for one set of values, and another for many sets at once. */
export class Repeated {
  readonly #database: Database;
  readonly #sql: (sets: number) => string;
  readonly #width: number;
  #one: Statement<[readonly Value[]]> | undefined;
  #many: Statement<[readonly Value[]]> | undefined;

  /** @param width is how many values a set has. */
  constructor(database: Database, width: number, sql: (sets: number) => string) {
    this.#database = database;
    this.#width = width;
    this.#sql = sql;
  }

  /** Inserts rows of a table. */
  static insert(database: Database, head: string, columns: readonly string[]): Repeated {
    const row = `(${columns.map(() => "?").join(", ")})`;
    return new Repeated(
      database,
      columns.length,
      (rows) => `${head} (${columns.join(", ")}) VALUES ${repeated(row, rows)}`,
    );
  }

  /** Runs for all sets in `values`, which has the values of one set after those of the other. */
  run(values: readonly Value[]): void {
    const step = this.#width * rowsAtOnce;
    let done = 0;
    for (; done + step <= values.length; done += step) {
      this.#many ??= this.#database.prepare(this.#sql(rowsAtOnce));
      this.#many.run(values.slice(done, done + step));
    }
    for (; done < values.length; done += this.#width) {
      this.#one ??= this.#database.prepare(this.#sql(1));
      this.#one.run(values.slice(done, done + this.#width));
    }
  }
}

export function repeated(text: string, times: number): string {
  return Array.from({ length: times }, () => text).join(", ");
}
