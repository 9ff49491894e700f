import type { Tally } from "./tally.ts";

export function progressText({ commits, refusals, retries }: Tally, runs: number, ms: number): string {
  return `${(ms / 1000).toFixed(1)} s  commits ${commits} of ${runs}  refusals ${refusals}  retries ${retries}`;
}
