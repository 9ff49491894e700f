import { expect, it } from "vitest";
import { describeKafka } from "../support/kafka.ts";
import { booking, expectOversold, expectSound, summaryOf } from "./command.ts";

const small = { agents: 5, seats: 2 };
const sizes = ["--agents", "5", "--seats", "2", "--json"];

await describeKafka("seriatim booking on Kafka", (brokers) => {
  const place = ["--brokers", brokers.join(",")];

  it.each([1, 2])("sells each seat once at level serializable, seed %d", async (seed) => {
    const ended = await booking(...sizes, ...place, "--seed", String(seed));
    expectSound(ended, small);
    expect(summaryOf(ended)).toMatchObject({ serializable: true, log: "kafka" });
  });

  it("sells each seat once at level snapshot", async () => {
    expectSound(await booking(...sizes, ...place, "--isolation", "snapshot", "--seed", "3"), small);
  });

  it("oversells at level none, and exits with 1", async () => {
    expectOversold(await booking(...sizes, ...place, "--isolation", "none", "--seed", "4"), small);
  });
});
