import type { Attacked } from "./attack.ts";
import type { History } from "./history.ts";
import type { Judgement } from "./judge.ts";
import type { Victim } from "./schedule.ts";

export interface Report {
  readonly log: "sqlite" | "kafka";
  readonly seed: number;
  readonly seconds: number;
  readonly kills: Attacked["kills"];
  readonly pauses: Attacked["pauses"];
  readonly restarts: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  readonly lost: number;
  readonly doubled: number;
  /** How many actions nobody was told the outcome of, how many of them had committed, and how many are left unknown. */
  readonly unknown: { readonly before: number; readonly committed: number; readonly left: number };
  readonly chainEqual: boolean;
  readonly verdicts: number;
  readonly repeats: number;
  /** All that is wrong, in words. */
  readonly violations: readonly string[];
}

export function reportOf(
  run: Pick<Report, "log" | "seed" | "seconds">,
  attacked: Attacked,
  judgement: Judgement,
  history: History,
): Report {
  const { lost, doubled, unequal, unknownLeft } = judgement;
  return {
    ...run,
    kills: attacked.kills,
    pauses: attacked.pauses,
    restarts: attacked.restarts,
    failures: Object.fromEntries(attacked.journal.failures),
    acknowledged: judgement.acknowledged,
    lost: lost.length,
    doubled: doubled.length,
    unknown: { before: judgement.unknown, committed: judgement.found, left: unknownLeft },
    chainEqual: history.differences.length === 0,
    verdicts: history.verdicts,
    repeats: history.repeats,
    violations: [
      ...lost.map((name) => `lost: ${name}`),
      ...doubled.map((name) => `doubled: ${name}`),
      ...unequal,
      ...history.differences,
      ...attacked.journal.violations,
    ],
  };
}

export function isSound({ violations, unknown }: Report): boolean {
  return violations.length === 0 && unknown.left === 0;
}

/** One line for people. */
export function lineOf(report: Report): string {
  const { log, seed, seconds, kills, pauses, acknowledged, lost, doubled, unknown, chainEqual } = report;
  return [
    `${log}, seed ${seed}, ${seconds} s: ${sum(kills)} kills (${list(kills)}), ${sum(pauses)} pauses (${list(pauses)})`,
    `acknowledged ${acknowledged}, lost ${lost}, doubled ${doubled}`,
    `unknown ${unknown.before}, of which ${unknown.committed} had committed; unknown left ${unknown.left}`,
    `chain ${chainEqual ? "equal to" : "DIFFERENT from"} a replay's (${report.verdicts} verdicts, ${report.repeats} repeats)`,
  ].join("; ");
}

function sum(counts: Readonly<Partial<Record<Victim, number>>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function list(counts: Readonly<Partial<Record<Victim, number>>>): string {
  return Object.entries(counts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([victim, count]) => `${victim} ${count}`)
    .join(", ");
}
