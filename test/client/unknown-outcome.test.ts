/* Invariant 6: whoever does not know the outcome closes the id by a cancel, and the first of the two in the log wins. */
import type { DecodedRecord } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import type { Transaction } from "@seriatim/client";
import { barrier, coordinatorOn, FakeSpace, gate } from "./fake-space.ts";

const add = async (tx: Transaction) => tx.put("counter/n", ((await tx.get<number>("counter/n")) ?? 0) + 1);

function kinds(space: FakeSpace): string[] {
  const seen: string[] = [];
  space.onAppend = (record: DecodedRecord) => void seen.push(record.kind);
  return seen;
}

describe("an append of which nobody knows whether it happened", () => {
  it("did happen: the cancel comes too late, and the run has committed", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space);
    const sent = kinds(space);
    space.faults.push("lost answer");
    expect(await coordinator.run({ agent: "a" }, add)).toMatchObject({ outcome: "committed", attempts: 1 });
    expect(sent).toEqual(["submit", "cancel"]);
    expect(await coordinator.get("counter/n")).toBe(1);
    expect(coordinator.statistics()).toMatchObject({ unknown: 1, commits: 1, retries: 0 });
  });

  it("did not happen: the cancel closes the id, and the next attempt commits", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space);
    const sent = kinds(space);
    space.faults.push("lost record");
    const result = await coordinator.run({ agent: "a", id: "x" }, add);
    expect(result).toMatchObject({ outcome: "committed", attempts: 2, intent: "run/x/2" });
    expect(sent).toEqual(["submit", "cancel", "submit"]);
    expect(await coordinator.get("counter/n")).toBe(1);
    expect(await coordinator.lookup("run/x/1")).toMatchObject({ outcome: "cancelled" });
  });

  it("happens after the cancel: it has no effect", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { verdictTimeout: 20 });
    const records: DecodedRecord[] = [];
    space.onAppend = (record) => void records.push(record);
    space.faults.push("hangs");
    expect(await coordinator.run({ agent: "a", id: "x" }, add)).toMatchObject({ outcome: "committed", attempts: 2 });
    const [late] = records;
    if (late?.kind !== "submit") throw new Error("the first record was no submit");
    await space.put(0, space.codec.encodeIntent(late));
    expect(await coordinator.get("counter/n")).toBe(1);
  });
});

it("no verdict in time: the intent's own verdict counts where it comes first", async () => {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space, { verdictTimeout: 20 });
  space.isPaused = true;
  space.onAppend = (record) => {
    if (record.kind === "cancel") space.isPaused = false;
  };
  expect(await coordinator.run({ agent: "a" }, add)).toMatchObject({ outcome: "committed", attempts: 1 });
  expect(coordinator.statistics()).toMatchObject({ unknown: 1, commits: 1 });
});

it("a cancel that fails is sent again", async () => {
  const space = await FakeSpace.open();
  const sent = kinds(space);
  space.faults.push("lost record", "unavailable", "lost record");
  expect(await coordinatorOn(space).run({ agent: "a" }, add)).toMatchObject({ outcome: "committed", attempts: 2 });
  expect(sent).toEqual(["submit", "cancel", "cancel", "cancel", "submit"]);
});

describe("an outcome that stays unknown is said to be unknown", () => {
  it("when no verdict comes at all", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { verdictTimeout: 20 });
    space.isPaused = true;
    const run = coordinator.run({ agent: "a", id: "x" }, add);
    await expect(run).rejects.toMatchObject({
      code: "unknown_outcome",
      message: expect.stringContaining('coordinator.lookup("run/x/1")'),
    });
    expect(await coordinator.lookup("run/x/1")).toEqual({ outcome: "absent", intent: "run/x/1" });
    await space.resume();
    expect(await coordinator.lookup("run/x/1")).toMatchObject({
      outcome: "committed",
      agent: "a",
      version: { offset: 1 },
    });
    expect(await coordinator.run({ agent: "a", id: "x" }, add)).toMatchObject({ repeated: true });
    expect(space.listeners).toBe(0);
  });

  it("when the cancel cannot be appended, with the reason", async () => {
    const space = await FakeSpace.open();
    space.faults.push("lost record", "log changed");
    // At once, and not only when the time for a verdict is over.
    const run = coordinatorOn(space, { verdictTimeout: 600_000 }).run({ agent: "a" }, add);
    await expect(run).rejects.toMatchObject({ code: "unknown_outcome", cause: { code: "log_changed" } });
  });

  it("when the coordinator is closed meanwhile", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { verdictTimeout: 60_000 });
    space.isPaused = true;
    const appended = gate();
    space.onAppend = appended.open;
    const run = coordinator.run({ agent: "a" }, add);
    await appended.opened;
    await coordinator.close();
    await expect(run).rejects.toMatchObject({ code: "unknown_outcome" });
    await expect(coordinator.run({ agent: "a" }, add)).rejects.toMatchObject({ code: "closed" });
    expect(space.closed).toBe(true);
  });
});

describe("an append that certainly did not happen", () => {
  it("is sent again, the same bytes", async () => {
    const space = await FakeSpace.open();
    const sent: string[] = [];
    space.onAppend = (record) => void sent.push(JSON.stringify(record));
    space.faults.push("unavailable", "unavailable");
    const coordinator = coordinatorOn(space);
    expect(await coordinator.run({ agent: "a" }, add)).toMatchObject({ outcome: "committed", attempts: 1 });
    expect(new Set(sent).size).toBe(1);
    expect(sent).toHaveLength(3);
    expect(coordinator.statistics()).toMatchObject({ unknown: 0, retries: 0 });
  });

  it("ends in `unavailable` after the time for a verdict", async () => {
    const space = await FakeSpace.open();
    space.faults.push(...Array.from({ length: 1000 }, () => "unavailable" as const));
    const coordinator = coordinatorOn(space, { verdictTimeout: 30, retry: { base: 10, cap: 10 }, random: () => 0.9 });
    await expect(coordinator.run({ agent: "a" }, add)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("passes on what no retry can heal", async () => {
    const space = await FakeSpace.open();
    space.faults.push("log changed");
    await expect(coordinatorOn(space).run({ agent: "a" }, add)).rejects.toMatchObject({ code: "log_changed" });
  });
});

describe("the caller's signal", () => {
  it("before the submit: nothing is sent", async () => {
    const space = await FakeSpace.open();
    const sent = kinds(space);
    const stop = new AbortController();
    const run = coordinatorOn(space).run({ agent: "a", signal: stop.signal }, (tx) => {
      tx.put("a/x", 1);
      stop.abort(new Error("enough"));
    });
    await expect(run).rejects.toMatchObject({ code: "aborted", cause: { message: "enough" } });
    await expect(coordinatorOn(space).run({ agent: "a", signal: stop.signal }, add)).rejects.toMatchObject({
      code: "aborted",
    });
    expect(sent).toEqual([]);
  });

  it("while waiting for the verdict: the intent is cancelled", async () => {
    const space = await FakeSpace.open();
    const stop = new AbortController();
    space.faults.push("hangs");
    space.onAppend = (record) => {
      if (record.kind === "submit") setImmediate(() => stop.abort());
    };
    const run = coordinatorOn(space).run({ agent: "a", signal: stop.signal, id: "x" }, add);
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(await coordinatorOn(space).lookup("run/x/1")).toMatchObject({ outcome: "cancelled" });
  });

  it("is not a refusal, also where nothing would be tried again", async () => {
    const space = await FakeSpace.open();
    const stopped = () => {
      const stop = new AbortController();
      space.faults.push("hangs");
      space.onAppend = (record) => {
        if (record.kind === "submit") setImmediate(() => stop.abort());
      };
      return stop.signal;
    };
    const run = coordinatorOn(space).run({ agent: "a", signal: stopped(), attempts: 1 }, add);
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    const byHand = coordinatorOn(space).submit({ agent: "a", partition: 0 }, { signal: stopped() });
    await expect(byHand).rejects.toMatchObject({ code: "aborted" });
  });

  it("after the intent was appended: what has committed is returned as committed", async () => {
    const space = await FakeSpace.open();
    const stop = new AbortController();
    space.isPaused = true;
    space.onAppend = (record) => {
      if (record.kind === "submit") setImmediate(() => stop.abort());
      else space.isPaused = false;
    };
    const run = coordinatorOn(space).run({ agent: "a", signal: stop.signal }, add);
    expect(await run).toMatchObject({ outcome: "committed" });
  });

  it("when the cancel is not decided either: unknown, and not aborted", async () => {
    const space = await FakeSpace.open();
    const stop = new AbortController();
    space.isPaused = true;
    space.onAppend = () => void setImmediate(() => stop.abort());
    const run = coordinatorOn(space, { verdictTimeout: 30 }).run({ agent: "a", signal: stop.signal }, add);
    await expect(run).rejects.toMatchObject({ code: "unknown_outcome" });
  });

  it("between two attempts", async () => {
    const space = await FakeSpace.open();
    const stop = new AbortController();
    const coordinator = coordinatorOn(space, { retry: { base: 60_000, cap: 60_000 } });
    const run = coordinator.run({ agent: "a", signal: stop.signal }, async (tx) => {
      await tx.get("a/x");
      await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1, { blind: true }));
      space.subscribe(() => setImmediate(() => stop.abort()));
    });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
  });
});

it("many runs may share one signal, without a warning and without leaving anything behind", async () => {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space);
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on("warning", note);
  const stop = new AbortController();
  const allRun = barrier(20);
  const runs = Array.from({ length: 20 }, (_, n) =>
    coordinator.run({ agent: "a", signal: stop.signal, id: `${n}` }, async (tx) => {
      await allRun();
      expect(tx.signal.aborted).toBe(false);
    }),
  );
  await Promise.all(runs);
  await new Promise((resolve) => void setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
  expect(space.listeners).toBe(0);
});

it("many that wait at once each get their own", async () => {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space, { verdictTimeout: 5_000 });
  space.isPaused = true;
  let appended = 0;
  space.onAppend = () => {
    appended += 1;
    if (appended === 30) setImmediate(() => void space.resume());
  };
  const runs = Array.from({ length: 30 }, (_, n) => coordinator.run({ agent: `a${n}` }, (tx) => tx.put(`k/${n}`, n)));
  const results = await Promise.all(runs);
  const offsets = results.map((result) => result.outcome === "committed" && result.version?.offset);
  expect(new Set(offsets).size).toBe(30);
  expect(space.listeners).toBe(0);
});
