import { SqliteFile } from "@seriatim/log";
import type { Contender, Done } from "../contention/contender.ts";
import { Thinking, type Thought } from "../contention/thinking.ts";

/**
 * `immediate`: thinks first, then reads, adds and writes under the write lock. It knows nothing of what it thought about.
 * `optimistic`: reads, thinks, and writes only if the row has the version that was read, else begins again.
 */
export const sqliteModes = ["immediate", "optimistic"] as const;
export type SqliteMode = (typeof sqliteModes)[number];

interface Row {
  readonly value: number;
  readonly version: number;
}

/** Makes the table, with every counter at 0. */
export async function prepareSqlite(path: string, counters: number): Promise<void> {
  const file = SqliteFile.open(path);
  await file.transaction(() => {
    file.database
      .prepare("CREATE TABLE counters (counter INTEGER PRIMARY KEY, value INTEGER NOT NULL, version INTEGER NOT NULL)")
      .run();
    const insert = file.database.prepare("INSERT INTO counters VALUES (?, 0, 0)");
    for (let counter = 0; counter < counters; counter += 1) insert.run(counter);
  });
  file.close();
}

export async function sumOfSqlite(path: string, counters: number): Promise<number> {
  const file = SqliteFile.open(path, { readonly: true });
  const sum = file.database.prepare<[number], number>("SELECT sum(value) FROM counters WHERE counter < ?").pluck();
  const total = sum.get(counters) ?? 0;
  file.close();
  return total;
}

/** SQLite alone: the same increments with what it has by itself. */
export class SqliteAgent implements Contender {
  readonly #file: SqliteFile;
  readonly #mode: SqliteMode;
  readonly #thinking: Thinking;
  readonly #read;
  readonly #write;
  readonly #swap;

  constructor(path: string, mode: SqliteMode, think: number, synchronous: "full" | "normal") {
    this.#file = SqliteFile.open(path, { synchronous });
    this.#mode = mode;
    this.#thinking = new Thinking(think);
    const { database } = this.#file;
    this.#read = database.prepare<[number], Row>("SELECT value, version FROM counters WHERE counter = ?");
    this.#write = database.prepare<[number, number]>("INSERT OR REPLACE INTO counters VALUES (?, ?, 0)");
    this.#swap = database.prepare<[number, number, number]>(
      "UPDATE counters SET value = ?, version = version + 1 WHERE counter = ? AND version = ?",
    );
  }

  get spent(): Thought {
    return this.#thinking.spent;
  }

  perform(counter: number): Promise<Done> {
    return this.#mode === "immediate" ? this.#immediate(counter) : this.#optimistic(counter);
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  async #immediate(counter: number): Promise<Done> {
    await this.#thinking.think();
    await this.#file.transaction(() => this.#write.run(counter, this.#of(counter).value + 1));
    this.#thinking.keep();
    return { isCommitted: true, attempts: 1 };
  }

  async #optimistic(counter: number): Promise<Done> {
    for (let attempts = 1; ; attempts += 1) {
      this.#thinking.discard();
      const { value, version } = await this.#file.read(() => this.#of(counter));
      await this.#thinking.think();
      const { changes } = await this.#file.transaction(() => this.#swap.run(value + 1, counter, version));
      if (changes === 0) continue;
      this.#thinking.keep();
      return { isCommitted: true, attempts };
    }
  }

  /** A counter to warm up on is made when it is first written. */
  #of(counter: number): Row {
    const row = this.#read.get(counter);
    if (row !== undefined) return row;
    this.#file.database.prepare("INSERT OR IGNORE INTO counters VALUES (?, 0, 0)").run(counter);
    return { value: 0, version: 0 };
  }
}
