/* Small runs of the workloads by the command, on both logs: what is lost or stale is exact, and counted three ways. */
import { describe, expect, it, vi } from "vitest";
import { describeKafka } from "../support/kafka.ts";
import { jsonLines, seriatim } from "./command.ts";

// Each run on Kafka starts a sequencer, and each agent may be a process.
vi.setConfig({ testTimeout: 240_000 });

describe("workloads, embedded", () => workloads([], [[], ["--processes"]]));
await describeKafka("workloads, on Kafka", (brokers) => workloads(["--brokers", brokers.join(",")], [["--processes"]]));

function workloads(place: readonly string[], ways: readonly (readonly string[])[]): void {
  const small = ["--agents", "4", "--transactions", "8", "--json", ...place];

  it.each(ways.map((how) => [how]))(
    "bench %s: nothing is lost but at level none, where log and checker say how much",
    async (how) => {
      const ended = await seriatim("bench", ...small, "--keys", "2", "--think", "5", ...how);
      expect(ended.code, ended.stderr).toBe(0);
      const rows = jsonLines(ended);
      expect(rows.map(({ name }) => name)).toEqual([
        "none",
        "snapshot",
        "serializable",
        "serializable + signal",
        "serializable + memo",
        "serializable + signal + memo",
      ]);
      for (const row of rows) {
        const isNone = row["name"] === "none";
        expect(row).toMatchObject({
          commits: 32,
          givenUp: 0,
          problems: [],
          checker: { claims: "holds", objections: 0 },
        });
        expect(row["lostByLog"]).toBe(row["lost"]);
        if (isNone) expect(row["lost"]).toBeGreaterThan(0);
        else expect(row).toMatchObject({ lost: 0, checker: { lostUpdates: 0, serializable: "holds" } });
        if (isNone) expect(row).toMatchObject({ abortRate: 0, checker: { serializable: "violated" } });
      }
    },
  );

  it("decisions: stale at the levels that let it, as many as the checker finds", async () => {
    const ended = await seriatim("decisions", ...small, "--think", "50", "--interval", "200");
    expect(ended.code, ended.stderr).toBe(0);
    for (const row of jsonLines(ended)) {
      expect(row).toMatchObject({
        commits: 32,
        problems: [],
        checker: { staleDecisions: row["stale"], claims: "holds" },
      });
      if (String(row["name"]).startsWith("serializable")) expect(row["stale"]).toBe(0);
      else expect(row["stale"]).toBeGreaterThan(0);
    }
  });

  it("sweep: a row for each think time, with its share of what is possible", async () => {
    const ended = await seriatim("sweep", ...small, "--keys", "2", "--think", "0,5", "--seed", "7");
    expect(ended.code, ended.stderr).toBe(0);
    const [none, five] = jsonLines(ended);
    expect(none).toMatchObject({ settings: { think: 0 }, share: null, lost: 0, seed: 7 });
    expect(five).toMatchObject({ settings: { think: 5 }, lost: 0, checker: { serializable: "holds" } });
    expect(five?.["share"]).toBeCloseTo(Number(five?.["goodput"]) / ((2 * 1000) / 5), 5);
  });
}

it("SQLite alone and PostgreSQL lose nothing either; who is not there is skipped, with the reason", async () => {
  const ended = await seriatim(
    "bench",
    "--agents",
    "4",
    "--transactions",
    "5",
    "--isolation",
    "serializable",
    "--peers",
    "--json",
  );
  expect(ended.code, ended.stderr).toBe(0);
  const peers = jsonLines(ended).filter(({ system }) => system !== "seriatim");
  expect(peers.map(({ name }) => name)).toEqual([
    "SQLite, immediate",
    "SQLite, optimistic",
    "PostgreSQL, SERIALIZABLE",
    "PostgreSQL, REPEATABLE READ",
  ]);
  for (const peer of peers) {
    expect(peer).toMatchObject({ synchronous: "full" });
    if (peer["skipped"] === undefined) expect(peer).toMatchObject({ commits: 20, lost: 0, checker: null });
    else expect(peer["skipped"]).toMatch(/PostgreSQL|pg/);
  }
});

it("prints tables for people", async () => {
  const bench = await seriatim("bench", "--agents", "2", "--transactions", "3", "--keys", "1");
  expect(bench.stdout).toMatch(/^ +commits\/s +of bound +aborted +lost +p50 ms +p99 ms +wasted +slowest +checker$/m);
  expect(bench.stdout).toMatch(/^serializable + .* serializable$/m);
  const decisions = await seriatim("decisions", "--agents", "2", "--transactions", "3", "--isolation", "snapshot");
  expect(decisions.stdout).toMatch(/^snapshot +\d+ +\d/m);
});

it.each([
  [["bench", "--agents", "0"], "--agents"],
  [["bench", "--isolation", "strict"], "--isolation"],
  [["bench", "--peers", "--brokers", "127.0.0.1:9092"], "--peers"],
  [["decisions", "--interval", "0"], "--interval"],
  [["sweep", "--think", "2,x"], "--think"],
  [["sweep", "--durability", "some"], "--durability"],
])("does nothing with bad arguments: %s", async (words, said) => {
  const { code, stdout, stderr } = await seriatim(...words);
  expect(code).toBe(64);
  expect(stdout).toBe("");
  expect(stderr).toContain(said);
});
