import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { open } from "seriatim";
import { beforeEach, describe, expect, it } from "vitest";
import { end, json, jsonLines, Lines, seriatim, start } from "../cli/command.ts";
import { temporaryFolder } from "../support/temporary.ts";

let folder = "";
let file = "";

beforeEach(async () => {
  folder = temporaryFolder();
  file = join(folder, "state.db");
  const space = await open(file);
  await space.run({ agent: "agent" }, (tx) => {
    tx.defer("note", { n: 1 });
    tx.defer("pay", { n: 2 }, { lane: "b" });
  });
  await space.run({ agent: "agent" }, (tx) => tx.defer("other", { n: 3 }, { lane: "c" }));
  await space.close();
});

const handlers = `export default {
  note: { call: ({ n }) => ({ noted: n }) },
  pay: { call() { throw new Error("the connection broke"); }, idempotent: false },
};`;

async function effects(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  const { stdout, stderr, code } = await seriatim(["effects", ...args, "--file", file, "--json"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return stdout === "" ? [] : jsonLines(stdout);
}

async function work(): Promise<{ readonly stop: () => Promise<number | null>; readonly ready: string }> {
  const module = join(folder, "handlers.mjs");
  writeFileSync(module, handlers);
  const child = start(["effects-worker", "--file", file, "--handlers", module, "--log-level", "silent"]);
  const lines = new Lines(child);
  const ready = await lines.next();
  lines.close();
  return { ready, stop: async () => (await end(child, "SIGTERM")).code };
}

describe("a worker, and what it leaves to people", () => {
  it("is listed, shown and decided", async () => {
    expect(await effects("list")).toMatchObject([
      { effect: "0@1#0", state: "pending", handler: "note", lane: "default", attempts: 0 },
      { effect: "0@1#1", state: "pending", handler: "pay", lane: "b" },
      { effect: "0@2#0", state: "pending", handler: "other" },
    ]);
    const { ready, stop } = await work();
    expect(ready).toMatch(/^ready: \S+ calls note, pay$/);
    await expect
      .poll(() => effects("list", "--state", "unknown"), { timeout: 20_000 })
      .toMatchObject([{ effect: "0@1#1", error: "the connection broke" }]);
    expect(await effects("list", "--handler", "other")).toMatchObject([{ effect: "0@2#0", state: "pending" }]);
    expect(await effects("show", "0@1#0")).toMatchObject([
      { effect: "0@1#0", state: "done", arguments: { n: 1 }, result: { noted: 1 }, attempts: 1 },
    ]);

    const by = { who: "ops", why: "seen at the provider" };
    const signed = ["--who", by.who, "--why", by.why];
    expect(await effects("resolve", "0@1#1", ...signed)).toMatchObject([{ state: "done", decided: by }]);
    expect(await effects("drop", "0@2#0", ...signed)).toMatchObject([{ state: "dropped", decided: by }]);
    expect(await effects("retry", "0@2#0", ...signed)).toMatchObject([{ state: "pending", decided: by }]);
    expect(await effects("list")).toMatchObject([{ effect: "0@2#0" }]);
    expect(await effects("list", "--all")).toHaveLength(3);
    expect(await stop()).toBe(0);
  });

  it("calls an effect again when a person says so", async () => {
    const { stop } = await work();
    await expect.poll(() => effects("list", "--state", "unknown"), { timeout: 20_000 }).toHaveLength(1);
    await effects("retry", "0@1#1", "--why", "it did not arrive");
    await expect
      .poll(() => effects("list", "--state", "unknown"), { timeout: 20_000 })
      .toMatchObject([{ effect: "0@1#1", attempts: 2 }]);
    expect(await stop()).toBe(0);
  });
});

describe("refused", () => {
  it.each([
    [["effects", "show", "0@9#0"], 1, "there is no effect 0@9#0"],
    [["effects", "show", "nonsense"], 64, '"nonsense" names no effect'],
    [["effects", "drop", "0@1#0"], 64, "--why"],
    [["effects", "drop", "0@1#0", "--why", " "], 64, "--why is empty"],
    [["effects", "list", "--state", "lost"], 64, '"lost" is none of pending, claimed'],
    [["effects-worker"], 64, "there are no handlers"],
    [["effects-worker", "--handlers", "/nowhere.mjs"], 64, "there is no file /nowhere.mjs"],
  ])("%j", async (args, code, message) => {
    const found = await seriatim([...args, "--file", file]);
    expect(found).toMatchObject({ code, stdout: "" });
    expect(found.stderr).toContain(message);
  });

  it("a decision about what is done", async () => {
    await effects("resolve", "0@1#0", "--why", "done by hand");
    const found = await seriatim(["effects", "drop", "0@1#0", "--why", "no", "--file", file]);
    expect(found).toMatchObject({ code: 1, stderr: "seriatim: 0@1#0 is done, and stays so\n" });
  });
});

/** The URL of a port that was free a moment ago. */
async function nobodyListens(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/`;
}

it("the HTTP handler is configured without code, by a variable", async () => {
  const SERIATIM_HTTP_HANDLERS = JSON.stringify({ note: { url: await nobodyListens(), attempts: 1 } });
  const child = start(["effects-worker", "--file", file, "--json"], { env: { SERIATIM_HTTP_HANDLERS } });
  const lines = new Lines(child);
  expect(json(await lines.next())).toMatchObject({ ready: true, handlers: ["note"] });
  lines.close();
  await expect
    .poll(() => effects("list", "--state", "failed"), { timeout: 20_000 })
    .toMatchObject([{ effect: "0@1#0", error: expect.stringContaining("ECONNREFUSED") }]);
  expect((await end(child, "SIGINT")).code).toBe(0);
});
