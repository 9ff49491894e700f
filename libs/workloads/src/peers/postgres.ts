import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Contender, Done } from "../contention/contender.ts";
import { Thinking, type Thought } from "../contention/thinking.ts";
import type { PostgresLevel } from "./postgres-levels.ts";

/** Where a server listens: the folder of its socket. */
export interface PostgresAddress {
  readonly host: string;
  readonly user: string;
}

/** Serialization failure, and deadlock. */
const transient = new Set(["40001", "40P01"]);

export async function preparePostgres(
  address: PostgresAddress,
  counters: number,
  isAlive: () => boolean,
): Promise<void> {
  const client = await firstConnection(address, isAlive);
  await client.query("DROP TABLE IF EXISTS counters");
  await client.query("CREATE TABLE counters (counter int PRIMARY KEY, value int NOT NULL)");
  await client.query("INSERT INTO counters SELECT n, 0 FROM generate_series(0, $1::int - 1) AS n", [counters]);
  await client.end();
}

export async function sumOfPostgres(address: PostgresAddress, counters: number): Promise<number> {
  const client = await connected(address);
  const { rows } = await client.query<{ sum: string }>("SELECT sum(value) FROM counters WHERE counter < $1", [
    counters,
  ]);
  await client.end();
  return Number(rows[0]?.sum ?? 0);
}

/** The same increments by PostgreSQL: what it refuses is begun again at once. */
export class PostgresAgent implements Contender {
  readonly #client: pg.Client;
  readonly #level: PostgresLevel;
  readonly #thinking: Thinking;

  private constructor(client: pg.Client, level: PostgresLevel, think: number) {
    this.#client = client;
    this.#level = level;
    this.#thinking = new Thinking(think);
  }

  static async connect(address: PostgresAddress, level: PostgresLevel, think: number): Promise<PostgresAgent> {
    return new PostgresAgent(await connected(address), level, think);
  }

  get spent(): Thought {
    return this.#thinking.spent;
  }

  async perform(counter: number): Promise<Done> {
    for (let attempts = 1; ; attempts += 1) {
      this.#thinking.discard();
      if (!(await this.#attempt(counter))) continue;
      this.#thinking.keep();
      return { isCommitted: true, attempts };
    }
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  async #attempt(counter: number): Promise<boolean> {
    try {
      await this.#client.query(`BEGIN ISOLATION LEVEL ${this.#level}`);
      const { rows } = await this.#client.query<{ value: number }>({
        name: "read",
        text: "SELECT value FROM counters WHERE counter = $1",
        values: [counter],
      });
      await this.#thinking.think();
      await this.#client.query({
        name: "write",
        text: "INSERT INTO counters VALUES ($1, $2) ON CONFLICT (counter) DO UPDATE SET value = excluded.value",
        values: [counter, (rows[0]?.value ?? 0) + 1],
      });
      await this.#client.query("COMMIT");
      return true;
    } catch (error) {
      await this.#client.query("ROLLBACK");
      if (error instanceof pg.DatabaseError && transient.has(error.code ?? "")) return false;
      throw error;
    }
  }
}

async function connected({ host, user }: PostgresAddress): Promise<pg.Client> {
  const client = new pg.Client({ host, user, database: "postgres" });
  // It is told of a lost connection by its queries too.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** A server that was just started takes a moment. */
async function firstConnection(address: PostgresAddress, isAlive: () => boolean): Promise<pg.Client> {
  for (;;) {
    try {
      return await connected(address);
    } catch (error) {
      if (!isAlive()) throw error;
      await sleep(50);
    }
  }
}
