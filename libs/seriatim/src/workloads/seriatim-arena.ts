import {
  countStale,
  changeBudget,
  lostByLog,
  prepareBudget,
  prepareCounters,
  sumOfCounters,
} from "@seriatim/workloads";
import { openAt } from "../staging/address.ts";
import type { Stage } from "../staging/stage.ts";
import type { Arena } from "./arena.ts";
import { withHistory } from "./judging.ts";

/** Counters that each commit adds one to: they must add up. */
export async function counterArena(stage: Stage, keys: number): Promise<Arena> {
  const coordinator = await openAt(stage("parent"));
  await prepareCounters(coordinator, keys);
  return {
    target: (agent) => ({ system: "seriatim", address: stage(agent), workload: "counters" }),
    accompany: async () => {},
    outcome: async ({ commits }) => {
      const lost = commits - (await sumOfCounters(coordinator, keys));
      return withHistory(stage("parent"), async (history, judged) => ({
        lost,
        lostByLog: await lostByLog(history, keys),
        stale: null,
        judged,
      }));
    },
    close: () => coordinator.close(),
  };
}

/** A budget that changes every so many ms, and decisions that rest on it. */
export async function budgetArena(stage: Stage, interval: number): Promise<Arena> {
  const coordinator = await openAt(stage("parent"));
  await prepareBudget(coordinator);
  return {
    target: (agent) => ({ system: "seriatim", address: stage(agent), workload: "decisions" }),
    accompany: (signal) => changeBudget(coordinator, interval, signal),
    outcome: async () => {
      const stale = await countStale(coordinator);
      return withHistory(stage("parent"), async (_, judged) => ({ lost: null, lostByLog: null, stale, judged }));
    },
    close: () => coordinator.close(),
  };
}
