import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  CallError,
  callHandler,
  defineHandlers,
  idempotencyKey,
  loadHandlers,
  mergeHandlers,
  reconcile,
  type Handler,
  type HandlerDefinition,
} from "@seriatim/effects";
import { bytesOf, toBytes } from "@seriatim/protocol";
import { temporaryFolder } from "../support/temporary.ts";
import { contextOf, json } from "./calls.ts";

function handlerOf(definition: HandlerDefinition): Handler {
  const handler = defineHandlers({ it: definition }).get("it");
  if (handler === undefined) throw new Error("it was not defined");
  return handler;
}

const nothing = { call: () => undefined };

describe("a definition", () => {
  test("has defaults", () => {
    expect(handlerOf(nothing)).toMatchObject({ idempotent: true, timeout: 30_000, attempts: 10, lane: "default" });
    expect(handlerOf({ ...nothing, attempts: 3, idempotent: false })).toMatchObject({ attempts: 3, idempotent: false });
  });

  test.each([
    ["no function `call`", {}],
    ['the property "retries"', { ...nothing, retries: 3 }],
    ["0 as `timeout`", { ...nothing, timeout: 0 }],
    ["1.5 as `attempts`", { ...nothing, attempts: 1.5 }],
    ["no boolean as `idempotent`", { ...nothing, idempotent: "yes" }],
    ["no text of 1 to 256 bytes as `lane`", { ...nothing, lane: "" }],
    ["a `reconcile` that is no function", { ...nothing, reconcile: true }],
  ])("with %s is refused, by name", (fault, definition) => {
    expect(() => defineHandlers({ pay: definition as HandlerDefinition })).toThrow(`the handler "pay" has ${fault}`);
  });

  test("twice under one name is refused", () => {
    const handlers = defineHandlers({ pay: nothing });
    expect(() => mergeHandlers(handlers, handlers)).toThrow('the handler "pay" is defined twice');
  });

  test("is called as a method of what was written", async () => {
    const definition = {
      prefix: "to ",
      call(this: { prefix: string }, to: unknown) {
        return this.prefix + String(to);
      },
    };
    const { prefix: _, ...rest } = definition;
    const handler = handlerOf(Object.assign(Object.create({ prefix: "to " }) as object, rest) as HandlerDefinition);
    expect(await callHandler(handler, json("you"), contextOf())).toEqual({ kind: "done", result: json("to you") });
  });
});

async function load(text: string): Promise<readonly string[]> {
  const path = join(temporaryFolder(), "handlers.mjs");
  writeFileSync(path, text);
  return [...(await loadHandlers(path)).keys()];
}

describe("a module of handlers", () => {
  test("exports an object, or what defineHandlers makes of it", async () => {
    expect(await load("export default { a: { call() {} } }")).toEqual(["a"]);
    expect(await load("export const handlers = { b: { call() {} } }")).toEqual(["b"]);
    const index = JSON.stringify(new URL("../../libs/effects/src/index.ts", import.meta.url).href);
    expect(
      await load(`import { defineHandlers } from ${index}; export default defineHandlers({ c: { call() {} } })`),
    ).toEqual(["c"]);
  });

  test.each([
    ["exports no handlers", "export const other = 1"],
    ["could not be loaded: Error: no luck", "throw new Error('no luck')"],
    ["could not be loaded: ", "export default {"],
    ['the handler "a" has no function `call`', "export default { a: {} }"],
  ])("that %s is refused", async (fault, text) => {
    await expect(load(text)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining(fault),
    });
  });

  test("that is not there is refused", async () => {
    await expect(loadHandlers("/nowhere/handlers.mjs")).rejects.toThrow("there is no file /nowhere/handlers.mjs");
  });
});

describe("a call", () => {
  test("gets the arguments and the key", async () => {
    const handler = handlerOf({ call: (args, { key, attempt }) => ({ args, key, attempt }) });
    const outcome = await callHandler(handler, json({ to: "you" }), contextOf());
    expect(outcome).toEqual({ kind: "done", result: json({ args: { to: "you" }, key: contextOf().key, attempt: 1 }) });
  });

  test.each([
    ["may have happened when it throws", new Error("oops"), { kind: "unsettled", error: "oops", delay: 0 }],
    ["may have happened when it throws no error", "oops", { kind: "unsettled", error: "oops", delay: 0 }],
    [
      "may have happened when what it throws has no text",
      Object.create(null),
      { kind: "unsettled", error: "what was thrown has no text", delay: 0 },
    ],
    [
      "may have happened when the text of its error is none",
      Object.assign(new Error("oops"), { message: 7 }),
      { kind: "unsettled", error: "7", delay: 0 },
    ],
    [
      "has surely not happened when it says so, also with a pause that is no number",
      new CallError("not_done", "closed", { delay: Number("Wed, 21 Oct 2026") }),
      { kind: "not_done", error: "closed", delay: 0 },
    ],
    [
      "has not happened when it says so",
      new CallError("not_done", "closed", { delay: 5 }),
      { kind: "not_done", error: "closed", delay: 5 },
    ],
    [
      "is refused when it says so",
      new CallError("refused", "no such person"),
      { kind: "refused", error: "no such person" },
    ],
  ])("%s", async (_, thrown, outcome) => {
    const handler = handlerOf({
      call: () => {
        throw thrown;
      },
    });
    expect(await callHandler(handler, json(1), contextOf())).toEqual(outcome);
  });

  test("is waited for no longer than its time-out, whether it heeds its signal or not", async () => {
    const late = { kind: "unsettled", error: "there was no answer within 20 ms", delay: 0 };
    const deaf = handlerOf({ call: () => new Promise(() => undefined), timeout: 20 });
    expect(await callHandler(deaf, json(1), contextOf())).toEqual(late);
    const heeding = handlerOf({
      timeout: 20,
      call: (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("it was aborted")))),
    });
    expect(await callHandler(heeding, json(1), contextOf())).toEqual(late);
  });

  test("ends with its caller", async () => {
    const stop = new AbortController();
    const handler = handlerOf({ call: () => new Promise(() => undefined) });
    const outcome = callHandler(handler, json(1), contextOf(), { signal: stop.signal });
    stop.abort(new Error("the worker stops"));
    expect(await outcome).toEqual({ kind: "unsettled", error: "the worker stops", delay: 0 });
    expect(await callHandler(handler, json(1), contextOf(), { signal: stop.signal })).toMatchObject({
      kind: "not_done",
    });
  });

  test("that returned what cannot be kept is done all the same", async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const outcome = await callHandler(handlerOf({ call: () => cyclic }), json(1), contextOf());
    expect(outcome).toMatchObject({ kind: "done", result: null, unkept: expect.stringContaining("circular") });
    const long = await callHandler(handlerOf({ call: () => "x".repeat(100) }), json(1), contextOf(), {
      resultBytes: 50,
    });
    expect(long).toMatchObject({ kind: "done", result: null, unkept: expect.stringContaining("at most 50 are kept") });
  });

  test("with arguments that are no JSON is refused", async () => {
    const outcome = await callHandler(handlerOf(nothing), Buffer.from("{"), contextOf());
    expect(outcome).toEqual({ kind: "refused", error: "the effect's arguments are not JSON" });
  });
});

describe("reconcile", () => {
  test.each([
    [
      { state: "done", result: 7 },
      { kind: "done", result: json(7) },
    ],
    [{ state: "not_done" }, { kind: "not_done" }],
    [{ state: "unknown" }, { kind: "unsettled" }],
    [{ state: "perhaps" }, { kind: "unsettled" }],
    [undefined, { kind: "unsettled" }],
  ])("that answers %j", async (answer, outcome) => {
    const handler = handlerOf({ ...nothing, reconcile: () => answer as { state: "unknown" } });
    expect(await reconcile(handler, json(1), contextOf())).toMatchObject(outcome);
  });

  test("that is missing or fails leaves it unknown", async () => {
    expect(await reconcile(handlerOf(nothing), json(1), contextOf())).toMatchObject({ kind: "unsettled" });
    const failing = handlerOf({ ...nothing, reconcile: () => Promise.reject(new Error("away")) });
    expect(await reconcile(failing, json(1), contextOf())).toMatchObject({ error: "reconcile failed: away" });
  });
});

describe("an idempotency key", () => {
  const parts = {
    space: bytesOf(Buffer.alloc(16, 7)),
    partition: 0,
    offset: 5,
    id: "é-1",
    index: 0,
    side: "forward",
  } as const;

  test("is the same for good", () => {
    expect(idempotencyKey(parts)).toBe("236670b6ded5a2d8bb0272276f88ff4b70278af4c47c4e86f920a7fb1f1cc390");
  });

  test.each([
    { space: toBytes("0123456789abcdef") },
    { partition: 1 },
    { offset: 6 },
    { id: "é-10" },
    { index: 1 },
    { side: "undo" as const },
  ])("differs with %j", (other) => {
    expect(idempotencyKey({ ...parts, ...other })).not.toBe(idempotencyKey(parts));
  });
});
