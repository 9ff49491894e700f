/*
 * Each rule of the sequencer is broken in turn, and the checker must object, and say what is wrong. A scenario that it
 * would not object to anyhow proves nothing: each is run with the rule kept, too.
 */
import { judge, SpaceHistory, type Anomaly, type Judgement, type ObjectionName } from "@seriatim/checker";
import { assert, type Verdict } from "@seriatim/protocol";
import type { State } from "../../services/sequencer/src/core/index.ts";
import { describe, expect, test } from "vitest";
import { cancel, point, range, submit, write } from "../core/partition.ts";
import { SabotagedPartition, type Sabotage } from "./sabotage.ts";
import { namesOf, storedSource } from "./stored-space.ts";

type Partition = SabotagedPartition;

interface Case {
  readonly rule: string;
  readonly sabotage: Sabotage;
  readonly scenario: (partition: Partition) => void;
  /** What the checker calls it. */
  readonly objections: readonly ObjectionName[];
  readonly anomalies: readonly Anomaly[];
}

/** Two read two keys and each writes the one that the other read. */
function crossedPoints(partition: Partition): void {
  partition.append(submit({ id: "begin", snapshot: 0, writes: [write("a/x"), write("a/y")] }));
  const points = [point("a/x", 1), point("a/y", 1)];
  partition.append(submit({ id: "first", snapshot: 1, points, writes: [write("a/x")] }));
  partition.append(submit({ id: "second", snapshot: 1, points, writes: [write("a/y")] }));
}

/** Two count a range, and each inserts into it. */
function crossedRanges(partition: Partition): void {
  const ranges = [range("credits/", "credits0")];
  partition.append(submit({ id: "first", snapshot: 0, ranges, writes: [write("credits/1")] }));
  partition.append(submit({ id: "second", snapshot: 0, ranges, writes: [write("credits/2")] }));
}

/** Two see two keys in a range, and each deletes the other's. */
function crossedDeletes(partition: Partition): void {
  partition.append(submit({ id: "begin", snapshot: 0, writes: [write("duty/a"), write("duty/b")] }));
  const ranges = [range("duty/", "duty0")];
  partition.append(submit({ id: "first", snapshot: 1, ranges, writes: [write("duty/a", null)] }));
  partition.append(submit({ id: "second", snapshot: 1, ranges, writes: [write("duty/b", null)] }));
}

/** Two add to one key, at a level that checks only what is written. */
function twoIncrements(partition: Partition): void {
  partition.append(submit({ id: "begin", snapshot: 0, writes: [write("a/counter", "0")] }));
  const increment = { isolation: "snapshot", snapshot: 1, points: [point("a/counter", 1)] } as const;
  partition.append(submit({ ...increment, id: "first", writes: [write("a/counter", "1")] }));
  partition.append(submit({ ...increment, id: "second", writes: [write("a/counter", "1")] }));
}

/** One writes what it read so long ago that its writers are forgotten. */
function longThought(partition: Partition): void {
  partition.append(submit({ id: "begin", snapshot: 0, writes: [write("a/counter", "0")] }));
  partition.append(
    submit({ id: "quick", snapshot: 1, points: [point("a/counter", 1)], writes: [write("a/counter", "1")] }),
  );
  for (let at = 3; at < 12; at += 1) partition.append(submit({ id: `other-${at}`, snapshot: at - 1 }));
  partition.append(
    submit({ id: "slow", snapshot: 1, points: [point("a/counter", 1)], writes: [write("a/counter", "1")] }),
  );
}

/** The same id twice, with other bytes. */
function oneIdTwice(partition: Partition): void {
  partition.append(submit({ id: "one", snapshot: 0, writes: [write("a/x")] }));
  partition.append(submit({ id: "one", snapshot: 1, writes: [write("a/y")] }));
}

function cancelled(partition: Partition): void {
  partition.append(cancel({ id: "one", snapshot: 0 }));
  partition.append(submit({ id: "one", snapshot: 0, writes: [write("a/y")] }));
}

function withEffect(partition: Partition): void {
  partition.append(submit({ id: "begin", snapshot: 0, writes: [write("a/x")] }));
  const effects = [{ name: "notify", lane: "post", arguments: Buffer.from("{}") }];
  partition.append(submit({ id: "mails", snapshot: 0, points: [point("a/x")], effects }));
  partition.append(submit({ id: "quiet", snapshot: 1 }));
}

function withoutDeletes(verdict: Verdict): Verdict {
  const { outcome } = verdict;
  if (outcome.kind !== "committed") return verdict;
  return { ...verdict, outcome: { ...outcome, writes: outcome.writes.filter(({ value }) => value !== null) } };
}

function withoutClaims(state: State): State {
  return {
    lastWrite: (key) => state.lastWrite(key),
    newestIn: (inside, after, limit) => state.newestIn(inside, after, limit),
    claim: () => undefined,
    holds: (id) => state.holds(id),
  };
}

function renamed(verdict: Verdict | undefined): Verdict {
  assert(verdict !== undefined, "there is such a verdict");
  return { ...verdict, id: "another" };
}

/** The effects of the refused intent, with a commit. */
function withEffectsOf(verdict: Verdict): Verdict {
  const effects = [{ name: "notify", lane: "post", arguments: Buffer.from("{}") }];
  const { outcome } = verdict;
  return verdict.id === "quiet" && outcome.kind === "committed"
    ? { ...verdict, outcome: { ...outcome, effects } }
    : verdict;
}

function present(verdicts: readonly (Verdict | undefined)[]): Verdict[] {
  return verdicts.filter((verdict) => verdict !== undefined);
}

const cases: readonly Case[] = [
  {
    rule: "points are checked",
    sabotage: { intent: (intent) => ({ ...intent, points: [] }) },
    scenario: crossedPoints,
    objections: ["decision"],
    anomalies: ["G2-item", "write_skew"],
  },
  {
    rule: "ranges are checked",
    sabotage: { intent: (intent) => ({ ...intent, ranges: [] }) },
    scenario: crossedRanges,
    objections: ["decision"],
    anomalies: ["G2"],
  },
  {
    rule: "a delete is a change",
    sabotage: { remembered: withoutDeletes },
    scenario: crossedDeletes,
    objections: ["decision"],
    anomalies: ["G2"],
  },
  {
    rule: "what is written is checked",
    sabotage: { intent: (intent) => ({ ...intent, writes: intent.writes.map((one) => ({ ...one, blind: true })) }) },
    scenario: twoIncrements,
    objections: ["decision"],
    anomalies: ["G-single", "lost_update"],
  },
  {
    rule: "a snapshot behind the window is refused",
    sabotage: { window: 1_000 },
    scenario: longThought,
    objections: ["decision"],
    anomalies: ["G-single", "lost_update"],
  },
  {
    rule: "a version is given once",
    sabotage: { log: (verdicts) => [...verdicts.slice(0, 3), renamed(verdicts[2]), ...verdicts.slice(3)] },
    scenario: crossedPoints,
    objections: ["audit:chain", "audit:version"],
    anomalies: [],
  },
  {
    rule: "an id decides once",
    sabotage: { state: withoutClaims },
    scenario: oneIdTwice,
    objections: ["audit:id", "decision"],
    anomalies: [],
  },
  {
    rule: "a cancel closes its id",
    sabotage: { state: withoutClaims },
    scenario: cancelled,
    objections: ["audit:id", "decision"],
    anomalies: [],
  },
  {
    rule: "a refused intent has no effects",
    sabotage: { log: (verdicts) => verdicts.map(withEffectsOf) },
    scenario: withEffect,
    objections: ["audit:effect", "decision"],
    anomalies: [],
  },
  {
    rule: "verdicts come in the order of their records",
    sabotage: { log: ([genesis, first, second, ...rest]) => present([genesis, second, first, ...rest]) },
    scenario: crossedPoints,
    objections: ["audit:chain", "audit:gap", "audit:version"],
    anomalies: [],
  },
];

describe("a sequencer that breaks a rule is found out", () => {
  test.each(cases)("unless $rule", async ({ sabotage, scenario, objections, anomalies }) => {
    const found = await checked(scenario, sabotage);
    expect(found.objections).toEqual([...objections]);
    for (const anomaly of anomalies) expect(found.judgement.counts[anomaly], anomaly).toBeGreaterThan(0);
    if (anomalies.length > 0) expect(found.judgement.findings.serializable?.answer).toBe("violated");
  });

  test.each(cases)("and one that keeps it is not: $rule", async ({ scenario }) => {
    const { objections, judgement } = await checked(scenario, {});
    expect(objections).toEqual([]);
    expect(judgement.findings.claims?.answer).toBe("holds");
  });
});

async function checked(
  scenario: Case["scenario"],
  sabotage: Sabotage,
): Promise<{ readonly objections: readonly string[]; readonly judgement: Judgement }> {
  const partition = new SabotagedPartition();
  scenario(partition);
  const source = storedSource(partition.decidedWith(sabotage));
  const history = new SpaceHistory(source, { decisions: true });
  const judgement = await judge(history);
  await history.audit();
  return { objections: namesOf(history), judgement };
}
