import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Answer,
  type Anomaly,
  type Condition,
  detectFormat,
  judge,
  type Judgement,
  openExportSource,
  readForeign,
  SpaceHistory,
} from "@seriatim/checker";

const folder = join(import.meta.dirname, "../golden/histories");

/** What a history shows: the anomalies counted, which conditions hold, the level that is reached. */
interface Shown {
  readonly counts: Partial<Record<Anomaly, number>>;
  readonly serializable: Answer;
  readonly si: Answer;
  readonly logOrder?: Answer;
  readonly claims?: Answer;
  readonly level?: number;
}

const holds = "holds";
const violated = "violated";
const sound = { counts: {}, serializable: holds, si: holds, logOrder: holds, claims: holds, level: 2 } as const;

/** One anomaly or level a history, which is named after it. */
const golden: Readonly<Record<string, Shown>> = {
  "serializable.jsonl": sound,
  "from-the-midst.jsonl": sound,
  "serializable-not-in-log-order.jsonl": { ...sound, counts: { stale_decision: 1 }, logOrder: violated, level: 0 },
  "lost-update.jsonl": {
    counts: { "G-single": 1, lost_update: 1 },
    serializable: violated,
    si: violated,
    logOrder: violated,
    claims: holds,
    level: 0,
  },
  "write-skew.jsonl": {
    counts: { "G2-item": 1, write_skew: 1, stale_decision: 1 },
    serializable: violated,
    si: holds,
    logOrder: violated,
    claims: holds,
    level: 0,
  },
  "claims-kept-though-not-serializable.jsonl": {
    counts: { "G2-item": 1, write_skew: 1, stale_decision: 1 },
    serializable: violated,
    si: holds,
    logOrder: violated,
    claims: holds,
    level: 0,
  },
  "phantom-write-skew.jsonl": {
    counts: { G2: 1, write_skew: 1, stale_decision: 1 },
    serializable: violated,
    si: holds,
    logOrder: violated,
    claims: holds,
    level: 0,
  },
  "read-skew.jsonl": {
    counts: { "G-single": 1, stale_decision: 1 },
    serializable: violated,
    si: violated,
    logOrder: violated,
    claims: holds,
    level: 0,
  },
  "read-only-anomaly.jsonl": {
    counts: { "G2-item": 1, write_skew: 1, stale_decision: 1 },
    serializable: violated,
    si: holds,
    logOrder: violated,
    claims: holds,
    level: 0,
  },
  "long-fork.jsonl": {
    counts: { "G2-item": 1, long_fork: 1, stale_decision: 2 },
    serializable: violated,
    si: violated,
    logOrder: violated,
    // One of the two readers claims nothing, and without it there is no fork.
    claims: holds,
    level: 0,
  },
  "stale-decision.jsonl": { ...sound, counts: { stale_decision: 1 }, logOrder: violated, level: 0 },
  "causal-cascade.jsonl": { ...sound, counts: { stale_decision: 1 }, logOrder: violated, level: 0 },
  "overwritten-under-snapshot.jsonl": { ...sound, claims: violated },
  "torn-snapshot.jsonl": { ...sound, counts: { stale_decision: 1 }, logOrder: violated, claims: violated, level: 0 },
  "thin-air.jsonl": {
    counts: { thin_air: 1 },
    serializable: violated,
    si: violated,
    logOrder: violated,
    claims: violated,
    level: 1,
  },
  "aborted-read.jsonl": {
    counts: { G1a: 1 },
    serializable: violated,
    si: violated,
    logOrder: violated,
    claims: violated,
    level: 1,
  },
  "dirty-write.edn": { counts: { G0: 1 }, serializable: violated, si: violated },
  "intermediate-read.edn": { counts: { G1b: 1, "G-single": 1 }, serializable: violated, si: violated },
  "circular-information-flow.edn": { counts: { G1c: 1 }, serializable: violated, si: violated },
  "internal.edn": { counts: { internal: 1 }, serializable: violated, si: violated },
  "incompatible-order.edn": { counts: { incompatible_order: 1 }, serializable: violated, si: violated },
  "aborted-append.edn": { counts: { G1a: 1 }, serializable: violated, si: violated },
  "indeterminate-but-seen.edn": { counts: {}, serializable: holds, si: holds },
};

async function judged(name: string): Promise<Judgement> {
  const path = join(folder, name);
  const format = await detectFormat(path);
  if (format === "export") return judge(new SpaceHistory(await openExportSource(path)));
  if (format === "embedded") throw new Error(`${name} is no golden history`);
  return judge(await readForeign(path, format));
}

function shown({ findings, counts, levels }: Judgement, as: Shown): Shown {
  const answer = (condition: Condition): Answer => findings[condition]?.answer ?? "undecided";
  return {
    counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => (count ?? 0) > 0)),
    serializable: answer("serializable"),
    si: answer("snapshot_isolation"),
    ...(as.logOrder === undefined ? {} : { logOrder: answer("serializable_in_log_order") }),
    ...(as.claims === undefined ? {} : { claims: answer("claims") }),
    ...(as.level === undefined ? {} : { level: levels?.reached ?? -1 }),
  };
}

describe("golden histories", () => {
  test("each file has its line here", () => {
    expect(readdirSync(folder).toSorted()).toEqual(Object.keys(golden).toSorted());
  });

  test.each(Object.entries(golden))("%s", async (name, expected) => {
    expect(shown(await judged(name), expected)).toEqual(expected);
  });
});
