import { describe, expect, test } from "vitest";
import { judge, type Answer, type Condition } from "@seriatim/checker";
import { readElleEdn } from "../../libs/checker/src/foreign/elle.ts";

async function answerOf(lines: readonly string[], condition: Condition): Promise<Answer | undefined> {
  const { findings } = await judge(readElleEdn(lines.join("\n"), "history.edn"), { realTime: true });
  return findings[condition]?.answer;
}

const two = "{:type :ok, :process 0, :value [[:append :x 1] [:append :x 2]]}";
const three = "{:type :ok, :process 1, :value [[:append :x 3]]}";
const open = (operation: string) => `{:type :info, :process 1, :value [[${operation}]]}`;
const invoke = (operation: string) => `{:type :invoke, :process 0, :value [[${operation}]]}`;
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

describe("what a transaction of unknown outcome may have done", () => {
  const insert = "{:type :ok, :process 0, :value [[:insert :x 1] [:insert :y 1]]}";
  const seen = "{:type :ok, :process 2, :value [[:r :y 1] [:r :x nil]]}";
  const found = "{:type :ok, :process 2, :value [[:r :y 1] [:rp [:= 1] {:y 1}]]}";
  const initial = "{:type :ok, :process 3, :f :init, :value {:x 0}}";

  test.each([
    ["absent, and nobody deleted it", [insert, seen], "violated"],
    ["absent, and it may have been deleted", [insert, open(":delete :x"), seen], "undecided"],
    ["absent, and another may have been deleted", [insert, open(":delete :z"), seen], "violated"],
    [
      "absent from the beginning, and it may have been deleted",
      [initial, open(":delete :x"), insert, seen],
      "undecided",
    ],
    ["not found, and nobody changed it", [insert, found], "violated"],
    ["not found, and it may have been changed", [insert, open(":w :x 2"), found], "undecided"],
    ["not found, and it may have been written once more", [insert, open(":w :x 1"), found], "violated"],
  ] as const)("%s", async (_, lines, answer) => {
    expect(await answerOf(lines, "serializable")).toBe(answer);
  });
});

test("a process that goes on without a word of its last transaction may have written", async () => {
  const read = "{:type :ok, :process 1, :value [[:r :x 1]]}";
  expect(await answerOf([invoke(":w :x 1"), invoke(":w :y 1"), read], "serializable")).toBe("holds");
  expect(await answerOf([invoke(":w :y 1"), read], "serializable")).toBe("violated");
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
