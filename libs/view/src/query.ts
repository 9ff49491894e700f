import type { Statement } from "better-sqlite3";
import type { SqliteFile } from "@seriatim/log";

/**
 * A statement that reads, in the one way in which the view reads: prepared when it is first needed, so that a short
 * command prepares but few, and never in the way of a connection that recovers the file (see `SqliteFile.readNow`).
 */
export class Query<Parameters extends unknown[], Row> {
  readonly #file: SqliteFile;
  readonly #prepare: () => Statement<Parameters, Row>;
  #statement: Statement<Parameters, Row> | undefined;

  private constructor(file: SqliteFile, prepare: () => Statement<Parameters, Row>) {
    this.#file = file;
    this.#prepare = prepare;
  }

  static ofRows<Parameters extends unknown[], Row>(file: SqliteFile, sql: string): Query<Parameters, Row> {
    return new Query(file, () => file.database.prepare<Parameters, Row>(sql));
  }

  /** Of rows as arrays of their columns, which cost less than objects: for what is asked for at every turn. */
  static ofArrays<Parameters extends unknown[], Row>(file: SqliteFile, sql: string): Query<Parameters, Row> {
    return new Query(file, () => file.database.prepare<Parameters, Row>(sql).raw());
  }

  /** Of the first column of each row. */
  static ofValues<Parameters extends unknown[], Value>(file: SqliteFile, sql: string): Query<Parameters, Value> {
    return new Query(file, () => file.database.prepare<Parameters, Value>(sql).pluck());
  }

  get(...parameters: Parameters): Row | undefined {
    return this.#file.readNow(() => this.#ready().get(...parameters));
  }

  all(...parameters: Parameters): Row[] {
    return this.#file.readNow(() => this.#ready().all(...parameters));
  }

  #ready(): Statement<Parameters, Row> {
    this.#statement ??= this.#prepare();
    return this.#statement;
  }
}
