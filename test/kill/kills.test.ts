/* Fifty kills a log. More by hand: npm run test:kill -- --log sqlite|kafka --kills N --seed S */
import { expect, it } from "vitest";
import { describeKafka } from "../support/kafka.ts";
import { runKills } from "./kills.ts";
import { isSound, lineOf } from "./report.ts";

const limit = { timeout: 300_000 };

async function expectSound(log: "sqlite" | "kafka"): Promise<void> {
  const report = await runKills({ log, kills: 50, seed: 4 });
  process.stderr.write(`${lineOf(report)}\n`);
  expect(report.violations).toEqual([]);
  expect(isSound(report)).toBe(true);
  expect(Object.values(report.kills).reduce((sum, count) => sum + count, 0)).toBe(50);
}

it("fifty kills on one file lose and double nothing", limit, () => expectSound("sqlite"));

await describeKafka("fifty kills on Kafka, its broker's among them", () => {
  it("lose and double nothing", limit, () => expectSound("kafka"));
});
