import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { detectFormat, readForeign, type Format } from "@seriatim/checker";
import { temporaryFile } from "../support/temporary.ts";

function holding(content: string | Buffer): string {
  const path = temporaryFile("history");
  writeFileSync(path, content);
  return path;
}

async function read(content: string | Buffer): Promise<unknown> {
  const path = holding(content);
  const format = await detectFormat(path);
  if (format === "export" || format === "embedded") throw new Error(`taken for ${format}`);
  return readForeign(path, format);
}

const detected: readonly (readonly [string | Buffer, Format])[] = [
  ["w 1 2\nr 1 2", "awdit"],
  ["=====\nw 1 2", "awdit"],
  ["w(1,2,0,0)\n", "operations"],
  ["; a comment\n{:type :ok, :value [[:w 1 2]]}", "elle-edn"],
  ["[{:type :ok, :value [[:w 1 2]]}]", "elle-edn"],
  ['[{"type":"ok"}]', "elle-json"],
  ['{"index":0,"type":"invoke"}\n', "elle-json"],
  ['{"seriatim":"export","version":1}\n', "export"],
  [Buffer.concat([Buffer.from("S"), Buffer.alloc(8)]), "cobra"],
  [Buffer.alloc(100), "dbcop"],
];

describe("a history's format is found by its first bytes", () => {
  test.each(detected)("%j", async (content, format) => {
    expect(await detectFormat(holding(content))).toBe(format);
  });

  test("what begins like none is refused by name", async () => {
    await expect(read("hello")).rejects.toMatchObject({ code: "unreadable" });
    await expect(read("hello")).rejects.toThrow("begins like no history that is known");
    await expect(detectFormat("/nowhere/at/all")).rejects.toThrow("/nowhere/at/all cannot be read");
  });
});

const malformed: readonly (readonly [string, string | Buffer, string])[] = [
  ["an AWDIT line", "w 1 2\nr 1\n", 'line 2: expected "r key value"'],
  ["an operation", "w(1,2,0,0)\nr(1,2)\n", "line 2: expected"],
  ["an open map", "{:type :ok, :value\n[[:w 1 2]]", 'line 2: the file ends before the "{" of line 1 is closed'],
  ["a closed nothing", "{:type :ok}\n]", 'line 2: "]" closes nothing'],
  ["an unknown event", "{:type :maybe}", "line 1: an event's type is invoke, ok, fail or info, not maybe"],
  ["an unknown operation", "\n{:type :ok :value [[:cas 1 2]]}", "line 2: [cas 1 2] is no operation"],
  ["a workload that is none", "{:type :ok :f :read :value {1 100}}", "none of its events is a transaction"],
  ["broken JSON", '{"type":"ok"}\n{"type":', "line 2:"],
  [
    "a torn Cobra log",
    Buffer.concat([Buffer.from("S"), Buffer.alloc(8), Buffer.from("W12")]),
    "byte 10: the file ends",
  ],
  [
    "a Cobra log of something else",
    Buffer.concat([Buffer.from("S"), Buffer.alloc(8), Buffer.from("x")]),
    "byte 10: expected",
  ],
  ["a torn dbcop history", Buffer.concat([Buffer.alloc(64), Buffer.from([9])]), "byte 64: "],
];

describe("what is wrong in a foreign history is said with its place", () => {
  test.each(malformed)("%s", async (_, content, message) => {
    await expect(read(content)).rejects.toMatchObject({ name: "Failure", code: "unreadable" });
    await expect(read(content)).rejects.toThrow(message);
  });
});
