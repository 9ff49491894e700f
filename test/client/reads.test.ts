import type { Coordinator } from "@seriatim/client";
import { refusalCodes } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { coordinatorOn, FakeSpace } from "./fake-space.ts";

async function written(values: readonly unknown[]) {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space);
  for (const value of values) {
    space.time += 1000;
    await coordinator.run({ agent: "writer" }, (tx) => (value === undefined ? tx.delete("a/x") : tx.put("a/x", value)));
  }
  return { space, coordinator };
}

async function submitted() {
  const space = await FakeSpace.open();
  space.isPaused = true;
  const coordinator = coordinatorOn(space, { verdictTimeout: 1000 });
  const write = coordinator.run({ agent: "a" }, (tx) => tx.put("a/x", 1));
  return { space, coordinator, write };
}

describe("seeing one's own writes through another view (case 41)", () => {
  const version = { partition: 0, offset: 1 };
  it("a read waits for minVersion, and so does a transaction", async () => {
    const { space, coordinator, write } = await submitted();
    const reads = [
      coordinator.get("a/x", { minVersion: version }),
      coordinator.scan({ prefix: "a/" }, { minVersion: version }).then((entries) => entries.length),
      coordinator
        .run({ agent: "b", minVersion: version }, (tx) => tx.get("a/x"))
        .then((result) => result.outcome === "committed" && result.value),
    ];
    expect(await coordinator.get("a/x")).toBeUndefined();
    await space.resume();
    expect(await Promise.all(reads)).toEqual([1, 1, 1]);
    await write;
  });

  it("or says clearly that it was not reached in time", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { verdictTimeout: 10 });
    const late = { code: "not_yet", message: expect.stringContaining("0@1") };
    await expect(coordinator.get("a/x", { minVersion: version })).rejects.toMatchObject(late);
    await expect(coordinator.run({ agent: "a", minVersion: version }, () => 1)).rejects.toMatchObject(late);
    await expect(coordinator.get("a/x", { asOf: version })).rejects.toMatchObject({ code: "not_yet" });
  });
});

it("reads as of a version, and as of a log time", async () => {
  const { space, coordinator } = await written([1, 2, undefined]);
  const at = (offset: number) => coordinator.get("a/x", { asOf: { partition: 0, offset } });
  expect(await Promise.all([at(0), at(1), at(2), at(3)])).toEqual([undefined, 1, 2, undefined]);
  expect(await coordinator.get("a/x", { asOf: new Date(space.time - 500) })).toBe(2);
  expect(await coordinator.get("a/x", { asOf: new Date(0) })).toBeUndefined();
  expect(await coordinator.entry("a/x", { asOf: { partition: 0, offset: 2 } })).toEqual({
    key: "a/x",
    value: 2,
    version: { partition: 0, offset: 2 },
  });
  await expect(coordinator.get("a/x", { asOf: { partition: 1, offset: 0 } })).rejects.toMatchObject({
    code: "invalid_argument",
  });
});

it("history of a key, newest first, in pages", async () => {
  const { space, coordinator } = await written([1, undefined, 3]);
  const history = await coordinator.history("a/x");
  expect(history).toMatchObject([
    { version: { offset: 3 }, value: 3, deleted: false, agent: "writer", time: new Date(space.time) },
    { version: { offset: 2 }, value: undefined, deleted: true },
    { version: { offset: 1 }, value: 1 },
  ]);
  const [newest] = await coordinator.history("a/x", { limit: 1 });
  expect(newest).toEqual(history[0]);
  expect(await coordinator.history("a/x", { before: history[0]?.version })).toEqual(history.slice(1));
});

function refused(coordinator: Coordinator) {
  return coordinator.run({ agent: "a", id: "x", attempts: 1 }, async (tx) => {
    await tx.get("a/x");
    await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1));
  });
}

describe("lookup", () => {
  it("tells a commit, a refusal, a cancel and nothing at all apart", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space);
    await refused(coordinator);
    await coordinator.run({ agent: "a", id: "x" }, () => ({ done: true }));
    space.faults.push("lost record");
    await coordinator.submit({ agent: "a", id: "mine", partition: 0 });
    expect(await coordinator.lookup("run/x/1")).toMatchObject({
      outcome: "refused",
      refusal: { code: "conflict", conflicts: [{ key: "a/x", agent: "b", yours: "unknown" }], advice: "read_again" },
    });
    expect(await coordinator.lookup("run/x/2")).toEqual({
      outcome: "committed",
      intent: "run/x/2",
      version: { partition: 0, offset: 3 },
      agent: "a",
      time: new Date(space.time),
      value: { done: true },
    });
    expect(await coordinator.lookup("mine")).toMatchObject({
      outcome: "cancelled",
      version: { partition: 0, offset: 4 },
    });
    expect(await coordinator.lookup("run/x/3", { partition: 0 })).toEqual({ outcome: "absent", intent: "run/x/3" });
  });
});

it("statistics count attempts, answers and time, thought and wasted", async () => {
  const space = await FakeSpace.open();
  let now = 0;
  const coordinator = coordinatorOn(space, { clock: () => now });
  const others = coordinatorOn(space);
  await coordinator.run({ agent: "a", id: "x" }, async (tx) => {
    await tx.get("a/x");
    now += tx.attempt === 3 ? 1000 : 100;
    if (tx.attempt === 1) await others.run({ agent: "b" }, (other) => other.put("a/x", 1));
    if (tx.attempt === 2) {
      await others.run({ agent: "b" }, (other) => other.put("a/x", 2));
      tx.signal.throwIfAborted();
    }
  });
  await coordinator.run({ agent: "a", id: "x" }, () => 1);
  const none = Object.fromEntries(refusalCodes.map((code) => [code, 0]));
  expect(coordinator.statistics()).toEqual({
    commits: 1,
    attempts: 3,
    retries: 2,
    repeated: 1,
    unknown: 0,
    refusals: { ...none, conflict: 1 },
    msThought: 1200,
    msWasted: 200,
  });
});
