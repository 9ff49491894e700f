import { describe, expect, test } from "vitest";
import { judge, type Answer, type Condition } from "@seriatim/checker";
import { readElleEdn } from "../../libs/checker/src/foreign/elle.ts";

async function answerOf(lines: readonly string[], condition: Condition): Promise<Answer | undefined> {
  const { findings } = await judge(readElleEdn(lines.join("\n"), "history.edn"), { realTime: true });
  return findings[condition]?.answer;
}

const two = "{:type :ok, :process 0, :value [[:append :x 1] [:append :x 2]]}";
const three = "{:type :ok, :process 1, :value [[:append :x 3]]}";
const reads = (list: string) => `{:type :ok, :process 2, :value [[:r :x ${list}]]}`;

describe("lists", () => {
  test.each([
    ["what one transaction appended stands together", "[1 2 3]", "holds"],
    ["also at the end", "[3 1 2]", "holds"],
    ["its end is missing, and others follow", "[1 3]", "violated"],
    ["it stands in another order", "[2 1 3]", "violated"],
    ["its beginning is missing", "[2 3]", "violated"],
    ["others stand in between", "[1 3 2]", "violated"],
    ["its end is missing", "[3 1]", "violated"],
  ] as const)("%s: %s %s", async (_, list, answer) => {
    expect(await answerOf([two, three, reads(list)], "serializable")).toBe(answer);
    expect(await answerOf([two, three, reads(list)], "snapshot_isolation")).toBe(answer);
  });
});

describe("real time", () => {
  const read = ["{:type :invoke, :process 0, :value [[:r :x nil]]}", "{:type :ok, :process 0, :value [[:r :x 1]]}"];
  const write = ["{:type :invoke, :process 1, :value [[:w :x 1]]}", "{:type :info, :process 1, :value [[:w :x 1]]}"];

  test("what was read was not begun later, although nobody knows when it ended", async () => {
    expect(await answerOf([...read, ...write], "strict_serializable")).toBe("violated");
    expect(await answerOf([...read, ...write], "serializable")).toBe("holds");
    expect(await answerOf([...write, ...read, ...read], "strict_serializable")).toBe("holds");
  });
});
