/* 21: workers killed and halted at every step. More by hand: npm run test:effects -- --log sqlite|kafka --runs N --seed S */
import { expect, it } from "vitest";
import { describeKafka } from "../../support/kafka.ts";
import { runKills, type KillOptions } from "./kills.ts";
import { steps } from "./steps.ts";

/** Each step once with each signal. */
const runs = 2 * steps.length;

async function expectSound(options: Pick<KillOptions, "log" | "brokers">): Promise<void> {
  const reports = await runKills({ ...options, runs, seed: 0 });
  expect(reports.flatMap(({ plan, violations }) => violations.map((each) => `seed ${plan.seed}: ${each}`))).toEqual([]);
  expect(reports.filter(({ isStruck }) => isStruck).length).toBeGreaterThan(runs / 2);
}

it("on a file, each effect is done once all the same", { timeout: 300_000 }, () =>
  expectSound({ log: "sqlite", brokers: [] }),
);

await describeKafka("on Kafka", (brokers) => {
  it("each effect is done once all the same", { timeout: 300_000 }, () => expectSound({ log: "kafka", brokers }));
});
