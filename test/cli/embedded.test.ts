/* The commands on an embedded file, end to end. */
import { describe, expect, test } from "vitest";
import { open } from "../../libs/seriatim/src/index.ts";
import { temporaryFile } from "../support/temporary.ts";
import { json, jsonLines, seriatim, type Finished } from "./command.ts";

type Run = (...args: string[]) => Promise<Finished>;

async function madeSpace(): Promise<{ readonly path: string; readonly run: Run }> {
  const path = temporaryFile();
  const run: Run = (...args) => seriatim([...args, "--file", path]);
  expect(await run("init")).toMatchObject({ code: 0, stderr: "" });
  return { path, run };
}

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string;
const uuid = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/) as string;
const done = { code: 0, stderr: "" };

describe("init", () => {
  test("makes a space once, and says what to run next", async () => {
    const path = temporaryFile();
    const first = json((await seriatim(["init", "--file", path, "--json"])).stdout);
    expect(first).toMatchObject({ space: uuid, partitions: 1, made: true, limits: { window: 1_000_000 } });
    const again = await seriatim(["init", "--file", path]);
    expect(again).toMatchObject(done);
    expect(again.stdout).toMatch(new RegExp(`^space +${String(first["space"])}\npartitions +1\nmade +before\nnext +`));
    const [, ...next] = String(first["next"]).split(" ");
    expect(await seriatim(next)).toEqual({ ...done, stdout: "0@1\n" });
  });

  test("sets limits, and does not change those of a space that is there", async () => {
    const path = temporaryFile();
    const init = ["init", "--file", path, "--json", "--window", "5", "--limit", "valueBytes=10"];
    expect(json((await seriatim(init)).stdout)).toMatchObject({ limits: { window: 5, valueBytes: 10 } });
    expect(await seriatim(init)).toMatchObject(done);
    const other = await seriatim(["init", "--file", path, "--window", "6"]);
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining("window is 5, not 6") as string });
    const large = await seriatim(["put", "a/b", '"0123456789"', "--file", path]);
    expect(large).toMatchObject({ code: 64, stderr: expect.stringContaining("at most 10 are allowed") as string });
  });
});

describe("put, get and delete", () => {
  test("write and read what a key holds, now and before", async () => {
    const { run } = await madeSpace();
    expect(await run("put", "policy/budget", "-5")).toEqual({ ...done, stdout: "0@1\n" });
    const put = await run("put", "policy/budget", '{"amount":7}', "--json");
    expect(json(put.stdout)).toEqual({ outcome: "committed", key: "policy/budget", version: "0@2", intent: uuid });
    expect(await run("get", "policy/budget")).toEqual({ ...done, stdout: 'policy/budget  0@2  {"amount":7}\n' });
    const before = await run("get", "policy/budget", "--as-of", "0@1", "--json");
    expect(json(before.stdout)).toEqual({ key: "policy/budget", version: "0@1", value: -5 });
    expect(await run("get", "policy/budget", "--as-of", "2036-01-01T00:00:00+01:00")).toMatchObject(done);
    expect(await run("delete", "policy/budget")).toEqual({ ...done, stdout: "0@3\n" });
    const absent = await run("get", "policy/budget", "--json");
    expect(absent).toMatchObject({ code: 1, stderr: 'seriatim: "policy/budget" is absent at 0@3\n' });
    expect(json(absent.stdout)).toEqual({ key: "policy/budget", outcome: "absent", at: "0@3" });
  });

  test("a version that is not there yet is undecided, one of another partition a bad argument", async () => {
    const { run } = await madeSpace();
    const later = await run("get", "a/b", "--as-of", "0@9");
    expect(later).toMatchObject({ code: 2, stderr: expect.stringContaining("the newest is 0@0") as string });
    expect(await run("get", "a/b", "--as-of", "1@0")).toMatchObject({ code: 64 });
    expect(await run("get", "a/b", "--as-of", "2020-01-01T00:00:00Z")).toMatchObject({ code: 1 });
  });

  test("a condition that does not hold writes nothing", async () => {
    const { run } = await madeSpace();
    expect(await run("put", "a/b", "1", "--if-version", "absent")).toMatchObject({ ...done, stdout: "0@1\n" });
    const second = await run("put", "a/b", "2", "--if-version", "absent", "--json");
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was written") as string });
    expect(json(second.stdout)).toEqual({ outcome: "condition_failed", key: "a/b", ifVersion: "absent", found: "0@1" });
    expect(await run("delete", "a/b", "--if-version", "0@0")).toMatchObject({ code: 1 });
    expect(await run("delete", "a/b", "--if-version", "0@1")).toMatchObject(done);
    expect(await run("delete", "a/b", "--if-version", "0@1")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('"a/b" is absent, and not at 0@1') as string,
    });
  });

  test("a value that the space does not take is a bad argument", async () => {
    const { run } = await madeSpace();
    expect(await run("put", "a/b", "1e999")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("Infinity") as string,
    });
    expect(await run("get", "a/b")).toMatchObject({ code: 1 });
  });

  test("one hundred thousand bytes are no argument too large", async () => {
    const { run } = await madeSpace();
    const value = `"${"x".repeat(100_000)}"`;
    expect(await run("put", "a/b", value)).toMatchObject(done);
    expect((await run("get", "a/b")).stdout).toBe(`a/b  0@1  ${value}\n`);
  });
});

test("history tells who wrote what and when, newest first", async () => {
  const { run } = await madeSpace();
  await run("put", "a/b", "1", "--agent", "ada");
  await run("delete", "a/b", "--agent", "ben");
  await run("put", "a/b", "3", "--agent", "cy", "--blind");
  const lines = jsonLines((await run("history", "a/b", "--json")).stdout);
  const common = { key: "a/b", time, intent: uuid };
  expect(lines).toEqual([
    { ...common, version: "0@3", agent: "cy", deleted: false, value: 3 },
    { ...common, version: "0@2", agent: "ben", deleted: true },
    { ...common, version: "0@1", agent: "ada", deleted: false, value: 1 },
  ]);
  expect((await run("history", "a/b", "--as-of", "0@2", "--limit", "1")).stdout).toMatch(
    /^0@2 {2}\S+Z {2}ben {2}\S+ {2}\(deleted\)\n$/,
  );
  expect(await run("history", "a/c")).toMatchObject({ code: 1, stdout: "" });
});

test("scan prints keys in the order of their bytes, aligned", async () => {
  const { run } = await madeSpace();
  for (const key of ["t/\u{10000}", "t/\uFF5E", "t/long/key", "u/x"]) await run("put", key, "1");
  expect((await run("scan", "t/")).stdout).toBe("t/long/key  0@3  1\nt/～         0@2  1\nt/\u{10000}        0@1  1\n");
  const reverse = jsonLines((await run("scan", "", "--reverse", "--limit", "2", "--json")).stdout);
  expect(reverse).toEqual([
    { key: "u/x", version: "0@4", value: 1 },
    { key: "t/\u{10000}", version: "0@1", value: 1 },
  ]);
  expect((await run("scan", "t/", "--as-of", "0@1")).stdout).toBe("t/\u{10000}  0@1  1\n");
  expect(await run("scan", "nothing/")).toEqual({ ...done, stdout: "" });
});

test("bytes, and texts that would steer a terminal, are shown as text", async () => {
  const { path, run } = await madeSpace();
  const coordinator = await open(path);
  await coordinator.run({ agent: "\u001b[31mred" }, (tx) => {
    tx.put("a/bytes", new Uint8Array([0, 255]));
    tx.put("a/\u001b[2J", "\u009b1m");
  });
  await coordinator.close();
  expect((await run("scan", "a/")).stdout).toBe('a/\\u001b[2J  0@1  "\\u009b1m"\na/bytes      0@1  bytes:AP8=\n');
  expect(json((await run("get", "a/bytes", "--json")).stdout)).toEqual({
    key: "a/bytes",
    version: "0@1",
    bytes: "AP8=",
  });
  const tail = await run("tail", "--no-follow");
  expect(tail.stdout).toContain("\\u001b[31mred");
  expect(tail.stdout).not.toContain("\u001b");
});

test("status tells of the logs, what is applied, and refusals by code", async () => {
  const { path, run } = await madeSpace();
  const coordinator = await open(path);
  const snapshot = 0;
  await coordinator.run({ agent: "ada" }, (tx) => tx.put("a/b", 1));
  const key = { key: "a/b" } as const;
  const refused = await coordinator.submit({
    agent: "ben",
    snapshot,
    writes: [{ ...key, value: new Uint8Array(), blind: false } as never],
  });
  expect(refused.outcome).toBe("refused");
  await coordinator.close();
  const found = json((await run("status", "--json")).stdout);
  expect(found).toMatchObject({ space: uuid, rules: 2, window: 1_000_000 });
  expect(found["partitions"]).toEqual([
    {
      partition: 0,
      intents: { start: 0, end: 3 },
      verdicts: { start: 0, end: 3 },
      applied: 2,
      lag: 0,
      missing: false,
      skipped: 0,
      chain: expect.stringMatching(/^[\da-f]{64}$/) as string,
      time,
      commits: 1,
      cancels: 0,
      holds: 0,
      expired: 0,
      repeated: 0,
      refusals: { conflict: 1 },
    },
  ]);
  const human = await run("status");
  expect(human).toMatchObject(done);
  expect(human.stdout).toMatch(/^window +1000000$/m);
  expect(human.stdout).toMatch(/^0 +0\.\.3 +0\.\.3 +0@2 +0 +no +1 +0 +0 +0 +0 +conflict 1 +\S+Z +[\da-f]{12}…$/m);
});
