import type { AgentReport } from "./contender.ts";

/** What agents have done together. */
export interface Totals {
  readonly commits: number;
  readonly givenUp: number;
  readonly attempts: number;
  /** The part of the attempts that did not commit. */
  readonly abortRate: number;
  readonly seconds: number;
  /** Commits a second. */
  readonly goodput: number;
  /** Of transactions that committed, in ms, all their attempts together. */
  readonly p50: number;
  readonly p99: number;
  /** In ms, of all agents. */
  readonly thought: number;
  readonly wasted: number;
  /** The slowest agent's commits a second as a part of the mean: 1 is fair. */
  readonly fairness: number;
}

export function totalsOf(reports: readonly AgentReport[]): Totals {
  const sum = (of: (report: AgentReport) => number): number => reports.reduce((total, each) => total + of(each), 0);
  const commits = sum((report) => report.commits);
  const attempts = sum((report) => report.attempts);
  const began = Math.min(...reports.map((report) => report.began));
  const ended = Math.max(...reports.map((report) => report.ended));
  const seconds = (ended - began) / 1000;
  const latencies = reports.flatMap((report) => report.latencies).toSorted((a, b) => a - b);
  const rates = reports.map((report) => report.commits / (report.ended - report.began));
  const mean = rates.reduce((total, rate) => total + rate, 0) / rates.length;
  return {
    commits,
    givenUp: sum((report) => report.givenUp),
    attempts,
    abortRate: attempts === 0 ? 0 : (attempts - commits) / attempts,
    seconds,
    goodput: commits / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    thought: sum((report) => report.thought),
    wasted: sum((report) => report.wasted),
    fairness: mean === 0 ? 1 : Math.min(...rates) / mean,
  };
}

/** The least value that at least that part of the values does not exceed; 0 of none. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

/**
 * Commits a second that are possible where each takes a key for as long as it thinks: a key can commit once per think
 * time, and so can an agent. Infinite where nobody thinks. `think` in ms.
 */
export function bound(keys: number, agents: number, think: number): number {
  return (Math.min(keys, agents) * 1000) / think;
}
