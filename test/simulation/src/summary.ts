import { faultNames, type Fault } from "@seriatim/log";
import { disturbances, type Disturbance } from "./plan.ts";
import type { SeedResult } from "./simulate.ts";

/** Faults of a log that are simulated by other means: see plan.ts. */
const otherwise: ReadonlySet<Fault> = new Set(["truncate", "recreate"]);

export const kinds: readonly (Fault | Disturbance)[] = [
  ...faultNames.filter((fault) => !otherwise.has(fault)),
  ...disturbances,
];

interface Count {
  times: number;
  seeds: number;
}

export interface FailedSeed {
  readonly seed: number;
  readonly error: unknown;
}

/** What many seeds came to. */
export class Summary {
  seeds = 0;
  intents = 0;
  /** Virtual time, in ms. */
  duration = 0;
  fewestIntents = Number.POSITIVE_INFINITY;
  readonly failures: FailedSeed[] = [];
  readonly counts = new Map<Fault | Disturbance, Count>(kinds.map((kind) => [kind, { times: 0, seeds: 0 }]));
  readonly #began = performance.now();

  add({ fired, intents, duration }: SeedResult): void {
    this.seeds += 1;
    this.intents += intents;
    this.duration += duration;
    this.fewestIntents = Math.min(this.fewestIntents, intents);
    for (const [kind, times] of fired) {
      const count = this.counts.get(kind);
      if (count === undefined || times === 0) continue;
      count.times += times;
      count.seeds += 1;
    }
  }

  addFailure(seed: number, error: unknown): void {
    this.failures.push({ seed, error });
  }

  /** Since it was made, in ms of real time. */
  elapsed(): number {
    return performance.now() - this.#began;
  }

  /** The kinds that fired in less than this share of the seeds. */
  rarerThan(share: number): (Fault | Disturbance)[] {
    return kinds.filter((kind) => (this.counts.get(kind)?.seeds ?? 0) < share * this.seeds);
  }
}

export function describeSummary(summary: Summary): string {
  const { seeds, intents, failures, duration, counts } = summary;
  const elapsed = summary.elapsed();
  const ran = seeds + failures.length;
  const lines = [...counts].map(
    ([kind, count]) =>
      `${kind.padEnd(18)} ${String(count.times).padStart(9)} times, in ${((100 * count.seeds) / Math.max(1, seeds)).toFixed(1).padStart(5)}% of the seeds`,
  );
  return [
    ...lines,
    `${ran} seeds, ${intents} intents, ${Math.round(duration / 1000)} s of virtual time, in ${(elapsed / 1000).toFixed(1)} s: ${(elapsed / ran).toFixed(1)} ms a seed`,
    ...failures.slice(0, 20).map(describeFailure),
    failures.length === 0 ? "all held" : `${failures.length} seeds failed`,
  ].join("\n");
}

export function describeFailure({ seed, error }: FailedSeed): string {
  return `seed ${seed} failed: ${textOf(error)}\n  to run it again: npm run simulate -- --seeds 1 --from ${seed}`;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? (error.stack ?? error.message) : `${error.message}: ${textOf(error.cause)}`;
}
