import type { Transaction } from "seriatim";

/** What all competitors do: read two of so many keys, and overwrite the first. */
export const keys = 10_000;

export const keyPrefix = "accounts/";

export function keyOf(index: number): string {
  return `${keyPrefix}${String(index).padStart(6, "0")}`;
}

export function anyKey(): number {
  return Math.floor(Math.random() * keys);
}

/** About 100 bytes. */
export function valueOf(count: number): { readonly count: number; readonly text: string } {
  return { count, text: "x".repeat(80) };
}

export async function readTwoWriteOne(tx: Transaction): Promise<void> {
  const [first, second] = [keyOf(anyKey()), keyOf(anyKey())];
  const value = await tx.get<{ count: number }>(first);
  await tx.get(second);
  tx.put(first, valueOf((value?.count ?? 0) + 1));
}

/** How fast something is done. */
export interface Pace {
  readonly perSecond: number;
  /** Processor time each takes, of all processes, in µs: what counts where the disk is fast or the machine busy. */
  readonly processor: number;
}

export function microseconds({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

export function mean(numbers: readonly number[]): number {
  return sum(numbers) / numbers.length;
}

/** What one writer did in its time. */
export interface Tally {
  readonly commits: number;
  /** Attempts that were refused and done again. */
  readonly refusals: number;
  /** Of single commits, in ms, ascending. */
  readonly latencies: readonly number[];
}

export function quantile(ascending: readonly number[], part: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] ?? 0;
}

/** Calls `once` again and again for so many seconds; `once` returns how many refusals it took. */
export async function repeat(seconds: number, once: () => Promise<number>): Promise<Tally> {
  const latencies: number[] = [];
  let refusals = 0;
  const end = performance.now() + seconds * 1000;
  for (let begun = performance.now(); begun < end;) {
    refusals += await once();
    const now = performance.now();
    latencies.push(now - begun);
    begun = now;
  }
  return { commits: latencies.length, refusals, latencies: latencies.toSorted((a, b) => a - b) };
}

/** The slowest writer's commits by the mean. */
export function shareOfSlowest(tallies: readonly Tally[]): number {
  const commits = tallies.map((tally) => tally.commits);
  return (Math.min(...commits) * commits.length) / Math.max(1, sum(commits));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

export function noteOf(tallies: readonly Tally[]): string {
  const latencies = tallies.flatMap((tally) => tally.latencies).toSorted((a, b) => a - b);
  const refusals = sum(tallies.map((tally) => tally.refusals));
  const attempts = latencies.length + refusals;
  const percent = ((100 * refusals) / Math.max(1, attempts)).toFixed(1);
  const times = [0.5, 0.99, 1].map((part) => quantile(latencies, part).toFixed(1)).join("/");
  return `${percent}% of attempts refused, p50/p99/max ${times} ms, slowest/mean ${shareOfSlowest(tallies).toFixed(2)}`;
}
