/* What agents left on a real Kafka, checked from its topics alone. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { seriatim } from "../cli/command.ts";
import { describeKafka, freshTopic } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

await describeKafka("seriatim check, on Kafka", (brokers) => {
  /** The flags of a space in which the demo ran. */
  async function demoSpace(isolation: string): Promise<string[]> {
    const flags = ["--brokers", brokers.join(","), "--space", freshTopic("check")];
    const demo = ["demo", ...flags, "--partitions", "2", "--sequencers", "2", "--runs", "60", "--isolation", isolation];
    const { code, stderr } = await seriatim(demo);
    expect([0, 1], stderr).toContain(code);
    return flags;
  }

  test("a serializable run is proved: in its partitions, in one of them, and from an export", async () => {
    const flags = await demoSpace("serializable");
    const { code, stdout } = await seriatim(["check", ...flags, "--decisions", "--json"]);
    expect(code).toBe(0);
    const { coverage, answer } = JSON.parse(stdout) as { answer: string; coverage: { partitions: object[] } };
    expect(answer).toBe("holds");
    // Two sequencers write every verdict, and readers take the first.
    expect(coverage.partitions).toMatchObject([{ partition: 0 }, { partition: 1 }]);
    expect((await seriatim(["check", ...flags, "--partition", "1", "--from", "3"])).code).toBe(0);
    const copy = temporaryFile("space.jsonl");
    writeFileSync(copy, (await seriatim(["export", ...flags])).stdout);
    expect((await seriatim(["check", copy, "--decisions"])).code).toBe(0);
    expect((await seriatim(["check", ...flags, "--logs", "verdicts"])).code).toBe(2);
  });

  test("an unchecked run is refuted", async () => {
    const flags = await demoSpace("none");
    const { code, stdout } = await seriatim(["check", ...flags]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^VIOLATED {2}not serializable: /);
  });

  test("a space that is not there is named", async () => {
    const missing = await seriatim(["check", "--brokers", brokers.join(","), "--space", freshTopic("missing")]);
    expect(missing).toMatchObject({ code: 70, stdout: "" });
    expect(missing.stderr).toContain("has neither the topic");
  });
});
