import { chmodSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer } from "@seriatim/workloads";
import pg from "pg";
import type { Options, Part, Report } from "./report.ts";
import { fillSpace } from "./spaces.ts";
import { anyKey, keyOf, keys, mean, noteOf, repeat, sum, valueOf, type Tally } from "./workload.ts";
import { Writers } from "./writers.ts";

const connections = 8;
const rounds = 3;

export const postgres: Part = {
  name: "postgres",
  about: "the same reads and writes by PostgreSQL, SERIALIZABLE, with its own settings (fsync on)",
  async run(options) {
    // The server's user must be able to reach its folder.
    chmodSync(options.folder, 0o711);
    const server = await PostgresServer.start(options.folder);
    if (typeof server === "string") return { part: "postgres", figures: [], ratios: [], skipped: server };
    try {
      return await compare(server, options);
    } finally {
      await server.stop();
    }
  },
};

async function compare(server: PostgresServer, { folder, seconds, say }: Options): Promise<Report> {
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(server)));
  await fill(clients[0]);
  const file = join(folder, "beside-postgres.db");
  await fillSpace(file);
  const writers = await Writers.start(file, connections, 1);
  const theirs: (readonly Tally[])[] = [];
  const ours: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      say(`round ${round + 1} of ${rounds}`);
      theirs.push(await Promise.all(clients.map((client) => repeat(seconds, () => transact(client)))));
      ours.push((await writers.run(seconds)).perSecond);
    }
  } finally {
    await writers.end();
    await Promise.all(clients.map((client) => client.end()));
  }
  const perSecond = mean(theirs.map((tallies) => sum(tallies.map(({ commits }) => commits)) / seconds));
  const name = `PostgreSQL ${server.version}, 8 connections of one process`;
  return {
    part: "postgres",
    figures: [
      { name, value: perSecond, unit: "commits/s", note: noteOf(theirs.flat()) },
      { name: "embedded, 8 processes", value: mean(ours), unit: "commits/s" },
    ],
    ratios: [{ name: "embedded, 8 processes / PostgreSQL", value: mean(ours) / perSecond }],
  };
}

async function connect(server: PostgresServer): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ host: server.host, user: server.user, database: "postgres" });
    // It is told of a lost connection by its queries too.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (!server.isRunning) throw error;
      await sleep(50);
    }
  }
}

async function fill(client: pg.Client | undefined): Promise<void> {
  await client?.query("CREATE TABLE entries (key text PRIMARY KEY, value jsonb NOT NULL)");
  await client?.query("INSERT INTO entries SELECT * FROM unnest($1::text[], $2::jsonb[])", [
    Array.from({ length: keys }, (_, index) => keyOf(index)),
    Array.from({ length: keys }, () => JSON.stringify(valueOf(0))),
  ]);
  await client?.query("ANALYZE entries");
}

const read = { name: "read", text: "SELECT value FROM entries WHERE key = $1" };
const write = { name: "write", text: "UPDATE entries SET value = $2 WHERE key = $1" };

/** Returns how often it was refused before it committed. */
async function transact(client: pg.Client): Promise<number> {
  for (let refusals = 0; ; refusals += 1) {
    try {
      await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE");
      const [first, second] = [keyOf(anyKey()), keyOf(anyKey())];
      const { rows } = await client.query<{ value: { count: number } }>({ ...read, values: [first] });
      await client.query({ ...read, values: [second] });
      const value = valueOf((rows[0]?.value.count ?? 0) + 1);
      await client.query({ ...write, values: [first, JSON.stringify(value)] });
      await client.query("COMMIT");
      return refusals;
    } catch (error) {
      await client.query("ROLLBACK");
      // Serialization failure, and deadlock.
      if (!(error instanceof pg.DatabaseError) || !["40001", "40P01"].includes(error.code ?? "")) throw error;
    }
  }
}
