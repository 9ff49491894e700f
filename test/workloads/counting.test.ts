import type { LoggedHistory, LoggedTransaction } from "@seriatim/checker";
import { toKey, type Offset } from "@seriatim/protocol";
import { bound, deal, lostByLog, totalsOf } from "@seriatim/workloads";
import { expect, it } from "vitest";
import type { ContestResult } from "../../libs/seriatim/src/workloads/contest.ts";
import { problemsOf } from "../../libs/seriatim/src/workloads/contest-verdict.ts";

it("deals each key as often as any other in each round, the same for the same seed", () => {
  const hands = deal(1, 8, 30, 4);
  expect(deal(1, 8, 30, 4)).toEqual(hands);
  expect(deal(2, 8, 30, 4)).not.toEqual(hands);
  for (let round = 0; round < 30; round += 1)
    for (const key of [0, 1, 2, 3]) expect(hands.filter((hand) => hand[round] === key)).toHaveLength(2);
});

it("adds up what agents report", () => {
  const report = { agent: "a", began: 1000, ended: 2000, commits: 3, givenUp: 0, attempts: 4, thought: 40, wasted: 10 };
  const slow = { ...report, agent: "b", ended: 3000, commits: 1, attempts: 1, latencies: [500] };
  expect(totalsOf([{ ...report, latencies: [30, 10, 20] }, slow])).toMatchObject({
    commits: 4,
    attempts: 5,
    abortRate: 0.2,
    seconds: 2,
    goodput: 2,
    p50: 20,
    p99: 500,
    wasted: 20,
    fairness: 0.5 / 1.75,
  });
  expect(bound(4, 8, 2)).toBe(2000);
  expect(bound(8, 3, 10)).toBe(300);
});

/** Increments of one counter, each by the offset that it read; the first is at offset 1. */
function incrementsOf(...read: readonly (Offset | null)[]): LoggedHistory {
  const key = toKey("counter-0/value");
  const transactions = read.map((version, index): LoggedTransaction => ({
    kind: "logged",
    partition: 0,
    offset: index + 1,
    snapshot: index,
    agent: "a",
    id: `${index}`,
    time: 0,
    isolation: "none",
    status: "committed",
    points: [{ key, version }],
    ranges: [],
    writes: [{ key, deleted: false, blind: false }],
    effects: [],
  }));
  return {
    kind: "logged",
    starts: new Map([[0, 0]]),
    effectsKnown: false,
    async *read() {
      yield transactions;
    },
  };
}

it.each([
  ["one after another", [null, 1, 2, 3], 0],
  ["two at once", [null, null], 1],
  ["one that slept through three", [null, 1, 2, null], 3],
  ["one that overwrote, and was overwritten by who had read the one before", [null, null, 1], 1],
])("by the log, %s lose %s: %s", async (_, read, lost) => {
  expect(await lostByLog(incrementsOf(...read), 1)).toBe(lost);
});

const fine = {
  entrant: { system: "seriatim", settings: { isolation: "snapshot", think: 0, signal: false, memo: false } },
  outcome: {
    lost: 0,
    lostByLog: 0,
    stale: null,
    judged: {
      objections: [],
      judgement: { counts: { lost_update: 0, stale_decision: 0 }, findings: { claims: { answer: "holds" } } },
    },
  },
} as unknown as ContestResult;

function changed(outcome: object, judgement: object = {}): ContestResult {
  const { judged } = fine.outcome;
  const changedJudgement = { ...judged?.judgement, ...judgement };
  return {
    ...fine,
    outcome: { ...fine.outcome, judged: { ...judged, judgement: changedJudgement }, ...outcome },
  } as ContestResult;
}

it("a run is in order when all counts agree", () => {
  expect(problemsOf(fine)).toEqual([]);
});

it.each([
  ["an increment was lost", changed({ lost: 1, lostByLog: 1 }), "1 increments were lost"],
  ["the log says otherwise", changed({ lostByLog: 2 }), "by the log it must be 2"],
  [
    "the checker found what nobody counted",
    changed({}, { counts: { lost_update: 3 } }),
    "the checker found 3 lost updates",
  ],
  ["the checker found fewer stale ones", changed({ lost: null, stale: 2 }), "the checker found 0"],
  ["a level was not kept", changed({}, { findings: { claims: { answer: "violated" } } }), "did not get the level"],
  [
    "the checker could not say",
    changed({}, { findings: { claims: { answer: "undecided" } } }),
    "did not get the level",
  ],
])("it is not when %s", (_, result, said) => {
  expect(problemsOf(result).join("; ")).toContain(said);
});
