import { describe, expect, test } from "vitest";
import { judge, type Judgement } from "@seriatim/checker";
import {
  allowsSnapshotIsolation,
  isSerializable,
  isSerializableInLogOrder,
  noOrder,
  sessionOrder,
  timeOrder,
} from "./log-oracle.ts";
import { historyOf } from "./logs.ts";
import { randomLog, type Told } from "./random-log.ts";

const runs = Number(process.env["SERIATIM_RUNS"] ?? 30_000);
const firstSeed = Number(process.env["SERIATIM_SEED"] ?? 1);

function answers({ findings }: Judgement): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(findings)
      .filter(([condition]) => condition !== "claims")
      .map(([condition, finding]) => [condition, finding?.answer === "holds"]),
  );
}

function expected(log: readonly Told[]): Record<string, boolean> {
  const committed = log.filter(({ transaction }) => transaction.status === "committed");
  return {
    serializable: isSerializable(committed, noOrder),
    serializable_in_log_order: isSerializableInLogOrder(committed),
    snapshot_isolation: allowsSnapshotIsolation(committed, noOrder),
    strong_session_serializable: isSerializable(committed, sessionOrder),
    strong_session_snapshot_isolation: allowsSnapshotIsolation(committed, sessionOrder),
    strict_serializable: isSerializable(committed, timeOrder),
    strong_snapshot_isolation: allowsSnapshotIsolation(committed, timeOrder),
  };
}

describe("the engine and an oracle that tries all orders", () => {
  test(`agree on ${runs} random logs of up to seven transactions`, async () => {
    const held = new Map<string, number>();
    for (let seed = firstSeed; seed < firstSeed + runs; seed += 1) {
      const log = randomLog(seed);
      const judgement = await judge(historyOf(log.map(({ transaction }) => transaction)), {
        session: true,
        realTime: true,
      });
      const rerun = `SERIATIM_SEED=${seed} SERIATIM_RUNS=1 npx vitest run test/checker/oracle.test.ts`;
      const truth = expected(log);
      expect(answers(judgement), `to run it again: ${rerun}`).toEqual(truth);
      for (const [condition, holds] of Object.entries(truth))
        if (holds) held.set(condition, (held.get(condition) ?? 0) + 1);
    }
    // Histories of one kind alone would prove little.
    if (runs >= 1000)
      for (const [condition, count] of held) {
        expect(count, condition).toBeGreaterThan(runs / 20);
        expect(count, condition).toBeLessThan((runs * 19) / 20);
      }
  }, 300_000);
});
