import { expect } from "vitest";
import { runKills } from "./kills.ts";
import { isSound, lineOf } from "./report.ts";

/** Runs so many kills, and expects that nothing was lost, doubled, left unknown or decided otherwise than a replay does. */
export async function expectSound(log: "sqlite" | "kafka", kills: number): Promise<void> {
  const report = await runKills({ log, kills, seed: 4 });
  process.stderr.write(`${lineOf(report)}\n`);
  expect(report.violations).toEqual([]);
  expect(isSound(report)).toBe(true);
  expect(Object.values(report.kills).reduce((sum, count) => sum + count, 0)).toBe(kills);
}
