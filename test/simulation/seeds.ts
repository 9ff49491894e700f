import { expect, it } from "vitest";
import { runSeeds } from "./src/run-seeds.ts";
import { describeFailure, describeSummary } from "./src/summary.ts";

/** For all seeds of a half; SERIATIM_SEEDS asks for another number of them in both halves together. */
const seeds = Number(process.env["SERIATIM_SEEDS"] ?? 2_000);

/** Below, a kind of fault that fires in one seed of thirty may not fire at all. */
const manySeeds = 400;

/** Two halves, in two files, so that two workers share the work. */
export function testHalf(half: 0 | 1): void {
  const count = Math.ceil(seeds / 2);
  it(`${count} seeds hold, and every kind of fault fires in one of a hundred`, { timeout: 1_800_000 }, async () => {
    const summary = await runSeeds(1 + half * count, count);
    console.log(describeSummary(summary));
    expect(summary.failures.map(describeFailure)).toEqual([]);
    expect(summary.fewestIntents).toBeGreaterThanOrEqual(200);
    if (count >= manySeeds) expect(summary.rarerThan(0.01)).toEqual([]);
  });
}
