import { prepareSqlite, sumOfSqlite, type PostgresAddress } from "@seriatim/workloads";
import type { Arena, Entrant } from "./arena.ts";

type Peer<System> = Extract<Entrant, { readonly system: System }>;

export async function sqliteArena({ mode, synchronous }: Peer<"sqlite">, file: string, keys: number): Promise<Arena> {
  await prepareSqlite(file, keys);
  return {
    target: () => ({ system: "sqlite", file, mode, synchronous }),
    accompany: async () => {},
    outcome: async ({ commits }) => measured(commits - (await sumOfSqlite(file, keys))),
    close: async () => {},
  };
}

export async function postgresArena(
  { level, synchronous }: Peer<"postgres">,
  server: PostgresAddress,
  keys: number,
  isAlive: () => boolean,
): Promise<Arena> {
  const { preparePostgres, sumOfPostgres } = await import("@seriatim/workloads/postgres");
  await preparePostgres(server, keys, isAlive);
  return {
    target: () => ({ system: "postgres", server, level, synchronous }),
    accompany: async () => {},
    outcome: async ({ commits }) => measured(commits - (await sumOfPostgres(server, keys))),
    close: async () => {},
  };
}

function measured(lost: number) {
  return { lost, lostByLog: null, stale: null, judged: null };
}
