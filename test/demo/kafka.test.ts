import { expect, test } from "vitest";
import { describeKafka } from "../support/kafka.ts";
import { childrenOf, demo, isAlive, struck, summaryOf } from "./command.ts";

const small = ["--agents", "4", "--runs", "40", "--json"];

await describeKafka("seriatim demo on Kafka", (brokers) => {
  const place = ["--brokers", brokers.join(",")];

  test("keeps the rules at level serializable", async () => {
    const ended = await demo([...small, ...place]);
    expect(ended.code, ended.stderr).toBe(0);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({ log: "kafka", commits: 40, violations: 0, lost: 0 });
    expect(summary["space"]).toMatch(/^demo-/);
  });

  test("breaks them at level none", async () => {
    const ended = await demo([...small, ...place, "--isolation", "none", "--sequencers", "1"]);
    expect(ended.code, ended.stderr).toBe(1);
    expect(summaryOf(ended)["violations"]).toBeGreaterThan(0);
  });

  test("ends agents and sequencers with itself", async () => {
    const { ended, children } = await struck((pid) => process.kill(pid, "SIGINT"), place);
    expect(ended.code, ended.stderr).toBe(130);
    expect(children).toHaveLength(6);
    expect(children.filter(isAlive)).toEqual([]);
  });

  test("says which sequencer died", async () => {
    const { ended } = await struck((pid) => {
      const [first] = childrenOf(pid);
      if (first !== undefined) process.kill(first, "SIGKILL");
    }, place);
    expect(ended.code).toBe(70);
    expect(ended.stderr).toMatch(/sequencer-\d ended early, by signal SIGKILL/);
  });
});
