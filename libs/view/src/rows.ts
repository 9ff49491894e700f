import type { Database, Statement } from "better-sqlite3";

export type Value = number | string | Uint8Array | null;

/** How many rows one call stores where there are many: a call costs as much as half a row. */
const rowsAtOnce = 16;

/**
 * One statement for one row, and another for many rows at once. One that inserts says OR FAIL where it can: otherwise
 * SQLite keeps a journal of each statement, to undo it alone, and here an error undoes the whole transaction.
 */
export class Repeated {
  readonly #database: Database;
  readonly #sql: (rows: number) => string;
  /** How many values a row has. */
  readonly width: number;
  #one: Statement<[readonly Value[]]> | undefined;
  #many: Statement<[readonly Value[]]> | undefined;

  constructor(database: Database, width: number, sql: (rows: number) => string) {
    this.#database = database;
    this.width = width;
    this.#sql = sql;
  }

  /** Inserts rows into a table. */
  static insert(database: Database, head: string, columns: readonly string[]): Repeated {
    const row = `(${columns.map(() => "?").join(", ")})`;
    const sql = (rows: number): string => `${head} (${columns.join(", ")}) VALUES ${repeated(row, rows)}`;
    return new Repeated(database, columns.length, sql);
  }

  one(values: readonly Value[]): void {
    this.#one ??= this.#database.prepare(this.#sql(1));
    this.#one.run(values);
  }

  /** @param values of {@link rowsAtOnce} rows. */
  many(values: readonly Value[]): void {
    this.#many ??= this.#database.prepare(this.#sql(rowsAtOnce));
    this.#many.run(values);
  }
}

/** Rows on their way to a statement, as many as it takes at once. To be made anew for each transaction. */
export class Rows {
  readonly #statement: Repeated;
  readonly #full: number;
  #values: Value[] = [];

  constructor(statement: Repeated) {
    this.#statement = statement;
    this.#full = statement.width * rowsAtOnce;
  }

  add(...row: readonly Value[]): void {
    for (const value of row) this.#values.push(value);
    if (this.#values.length < this.#full) return;
    this.#statement.many(this.#values);
    this.#values = [];
  }

  /** Stores the rest. */
  end(): void {
    const { width } = this.#statement;
    for (let at = 0; at < this.#values.length; at += width) this.#statement.one(this.#values.slice(at, at + width));
    this.#values = [];
  }
}

export function repeated(text: string, times: number): string {
  return Array.from({ length: times }, () => text).join(", ");
}
