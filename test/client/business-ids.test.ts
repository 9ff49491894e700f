/* Invariants 6 and 7, seen from the client: a business action is done once, whoever runs it and however often. */
import type { DecodedRecord, Submit } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { barrier, coordinatorOn, FakeSpace } from "./fake-space.ts";

const id = "approval-1042";

function submits(space: FakeSpace): Submit[] {
  const seen: Submit[] = [];
  space.onAppend = (record: DecodedRecord) => {
    if (record.kind === "submit") seen.push(record);
  };
  return seen;
}

it("a second run under the id returns the first's value without calling the function", async () => {
  const space = await FakeSpace.open();
  const first = await coordinatorOn(space).run({ agent: "a", id }, (tx) => {
    tx.put("policy/x", 1);
    return { approved: true, note: undefined };
  });
  expect(first).toMatchObject({ outcome: "committed", intent: "run/approval-1042/1", repeated: false, attempts: 1 });
  const another = coordinatorOn(space);
  const second = await another.run({ agent: "b", id }, () => {
    throw new Error("called again");
  });
  expect(second).toEqual({ ...first, repeated: true, attempts: 0 });
  expect(another.statistics()).toMatchObject({ repeated: 1, attempts: 0, commits: 0 });
});

it("holds for functions that read and write nothing, and for those that return nothing", async () => {
  const space = await FakeSpace.open();
  let calls = 0;
  const run = () => coordinatorOn(space).run({ agent: "a", id }, () => void (calls += 1));
  expect(await run()).toMatchObject({ value: undefined, repeated: false, version: { partition: 0, offset: 1 } });
  expect(await run()).toMatchObject({ value: undefined, repeated: true, version: { partition: 0, offset: 1 } });
  expect(calls).toBe(1);
});

it("an agent that crashed between its append and its verdict does nothing twice", async () => {
  const space = await FakeSpace.open();
  space.isPaused = true;
  const crash = new AbortController();
  space.onAppend = (record) => {
    if (record.kind === "submit") setImmediate(() => crash.abort());
    // It takes its cancel with it.
    else space.faults.push("log changed");
  };
  const lost = coordinatorOn(space).run({ agent: "a", id, signal: crash.signal }, (tx) => {
    tx.put("policy/x", "first life");
    return "first life";
  });
  await expect(lost).rejects.toMatchObject({ code: "unknown_outcome" });
  await space.resume();
  const again = await coordinatorOn(space).run({ agent: "a", id }, () => "second life");
  expect(again).toMatchObject({ outcome: "committed", value: "first life", repeated: true });
});

it("one that starts again before its verdict is there is answered by it", async () => {
  const space = await FakeSpace.open();
  const run = (name: string, before: () => Promise<void>) =>
    coordinatorOn(space).run({ agent: name, id }, async (tx) => {
      await before();
      tx.put("policy/x", name);
      return name;
    });
  const bothRun = barrier(2);
  const results = await Promise.all([run("a", bothRun), run("b", bothRun)]);
  const [first, second] = results;
  expect(results.filter((result) => result.outcome === "committed" && result.repeated)).toHaveLength(1);
  expect(first).toMatchObject({ value: await coordinatorOn(space).get("policy/x") });
  expect(second).toMatchObject({ value: await coordinatorOn(space).get("policy/x") });
});

it("two that send the same bytes both get the one commit", async () => {
  const space = await FakeSpace.open();
  const bothRun = barrier(2);
  const run = () =>
    coordinatorOn(space).run({ agent: "a", id }, async (tx) => {
      await bothRun();
      tx.put("policy/x", 1);
    });
  const [first, second] = await Promise.all([run(), run()]);
  expect(first).toMatchObject({ outcome: "committed", version: { offset: 1 } });
  expect(second).toEqual(first);
});

it("where the other one was refused, the next number is sent", async () => {
  const space = await FakeSpace.open();
  const sent = submits(space);
  const bothRun = barrier(2);
  const run = (name: string) =>
    coordinatorOn(space).run({ agent: name, id }, async (tx) => {
      await tx.get("policy/x");
      if (tx.attempt === 1) {
        if (name === "a") await coordinatorOn(space).run({ agent: "meddler" }, (other) => other.put("policy/x", 1));
        await bothRun();
      }
      tx.put("policy/y", name);
      return name;
    });
  const [a, b] = await Promise.all([run("a"), run("b")]);
  const numbers = sent.map((submit) => submit.id).filter((each) => each.startsWith("run/"));
  expect(new Set(numbers)).toEqual(new Set([`run/${id}/1`, `run/${id}/2`]));
  expect(a).toMatchObject({ outcome: "committed", intent: `run/${id}/2` });
  expect(b).toMatchObject({ outcome: "committed", intent: `run/${id}/2`, value: a.outcome === "committed" && a.value });
});

it("a refused attempt, then success; and a later run goes on where an exhausted one ended", async () => {
  const space = await FakeSpace.open();
  const run = (attempts: number, conflicts: number) =>
    coordinatorOn(space).run({ agent: "a", id, attempts }, async (tx) => {
      await tx.get("policy/x");
      if (tx.attempt <= conflicts)
        await coordinatorOn(space).run({ agent: "meddler" }, (other) =>
          other.put("policy/x", tx.attempt, { blind: true }),
        );
      return tx.attempt;
    });
  expect(await run(2, 2)).toMatchObject({ outcome: "refused", attempts: 2, refusal: { intent: `run/${id}/2` } });
  expect(await run(2, 1)).toMatchObject({ outcome: "committed", attempts: 2, intent: `run/${id}/4`, value: 2 });
  expect(await run(1, 0)).toMatchObject({ outcome: "committed", attempts: 0, intent: `run/${id}/4`, repeated: true });
});

describe("too_old", () => {
  it("claims no id: the same number is sent again on a fresh snapshot", async () => {
    const space = await FakeSpace.open({ limits: { window: 3 } });
    const sent = submits(space);
    const result = await coordinatorOn(space).run({ agent: "a", id }, async (tx) => {
      await tx.get("policy/x");
      if (tx.attempt === 1) await space.fill(4);
      tx.put("policy/x", tx.attempt);
    });
    expect(result).toMatchObject({ outcome: "committed", attempts: 2, intent: `run/${id}/1` });
    expect(sent.map((submit) => submit.id)).toEqual([`run/${id}/1`, `run/${id}/1`]);
  });

  it("is returned whole when attempts run out", async () => {
    const space = await FakeSpace.open({ limits: { window: 3 } });
    const result = await coordinatorOn(space).run({ agent: "a", id, attempts: 1 }, async () => space.fill(4));
    expect(result).toMatchObject({ outcome: "refused", refusal: { code: "too_old", advice: "begin_again" } });
    expect(result.outcome === "refused" && result.refusal.message).toMatch(
      /snapshot \(offset 0\) that more than 3 records/,
    );
  });

  it("an id that the sequencer has forgotten is still known to the view", async () => {
    const space = await FakeSpace.open({ limits: { window: 3 } });
    await coordinatorOn(space).run({ agent: "a", id }, () => "done");
    await space.fill(10);
    expect(await coordinatorOn(space).run({ agent: "a", id }, () => "twice")).toMatchObject({ value: "done" });
    const intent = `run/${id}/1`;
    const byHand = await coordinatorOn(space).submit({ agent: "a", id: intent, partition: 0 });
    expect(byHand).toMatchObject({ outcome: "refused", refusal: { code: "id_reused", advice: "use_another_id" } });
  });

  it("a record that was too old says nothing of an earlier one with the same bytes", async () => {
    const space = await FakeSpace.open({ limits: { window: 3 } });
    // Appended and decided; the answer is lost, and by the time of the cancel everything under its snapshot is too old.
    space.faults.push("lost answer");
    let records = 0;
    space.onAppend = async () => {
      records += 1;
      if (records === 2) await space.fill(4);
    };
    const result = await coordinatorOn(space).run({ agent: "a", id }, (tx) => tx.put("policy/x", 1));
    expect(result).toMatchObject({ outcome: "committed", attempts: 1, version: { offset: 1 } });
  });

  it("a cancel that was too old ends the intent as well", async () => {
    const space = await FakeSpace.open({ limits: { window: 3 } });
    space.faults.push("lost record");
    let records = 0;
    space.onAppend = async () => {
      records += 1;
      if (records === 2) await space.fill(4);
    };
    const coordinator = coordinatorOn(space);
    const result = await coordinator.run({ agent: "a", id }, (tx) => tx.put("policy/x", 1));
    expect(result).toMatchObject({ outcome: "committed", attempts: 2, intent: `run/${id}/1` });
    expect(coordinator.statistics().refusals.too_old).toBe(1);
  });
});

it("the same intent five times commits once and is repeated four times (case 22)", async () => {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space);
  const intent = { agent: "a", id: "payment-7", partition: 0, snapshot: 0 };
  const results = [];
  for (let n = 0; n < 5; n += 1) results.push(await coordinator.submit(intent));
  expect(results.map((result) => result.outcome === "committed" && result.repeated)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(results.every((result) => result.outcome === "committed" && result.version.offset === 1)).toBe(true);
});

it("the same record twice in the log commits once (sticky)", async () => {
  const space = await FakeSpace.open();
  let isFirst = true;
  space.onAppend = async (record, partition) => {
    if (isFirst && record.kind === "submit") {
      isFirst = false;
      await space.put(partition, space.codec.encodeIntent(record));
    }
  };
  const result = await coordinatorOn(space).run({ agent: "a" }, (tx) => tx.put("policy/x", 1));
  expect(result).toMatchObject({ outcome: "committed", version: { offset: 1 } });
  expect(space.view.position(0).offset).toBe(2);
});

describe("on several partitions", () => {
  it("a run with an id needs a partition key", async () => {
    const space = await FakeSpace.open({ partitions: 3 });
    const run = coordinatorOn(space).run({ agent: "a", id }, () => 1);
    await expect(run).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("partitionKey"),
    });
    const placed = await coordinatorOn(space).run({ agent: "a", id, partitionKey: "policy" }, (tx) => {
      tx.put("policy/x", 1);
      return tx.snapshot.partition;
    });
    expect(placed).toMatchObject({
      outcome: "committed",
      value: placed.outcome === "committed" && placed.version?.partition,
    });
  });

  it("a second partition key is a mistake, wherever it lies", async () => {
    const space = await FakeSpace.open({ partitions: 3 });
    const run = coordinatorOn(space).run({ agent: "a" }, async (tx) => {
      await tx.get("policy/x");
      tx.put("tasks/1", 1);
    });
    await expect(run).rejects.toThrow(/"tasks\/1" lies under the partition key "tasks", .* works under "policy"/);
    const range = coordinatorOn(space).run({ agent: "a" }, (tx) => tx.scan({ prefix: "pol" }));
    await expect(range).rejects.toThrow(/reaches over several partition keys/);
    const fixed = coordinatorOn(space).run({ agent: "a", partitionKey: "policy" }, (tx) =>
      tx.count({ prefix: "tasks/" }),
    );
    await expect(fixed).rejects.toThrow(/"tasks"/);
  });

  it("the snapshot is that of the partition touched", async () => {
    const space = await FakeSpace.open({ partitions: 3 });
    await coordinatorOn(space).run({ agent: "a" }, (tx) => tx.put("policy/x", 1));
    const result = await coordinatorOn(space).run({ agent: "a" }, async (tx) => {
      expect(() => tx.snapshot).toThrow(/touched no key yet/);
      await tx.get("policy/x");
      return tx.snapshot.offset;
    });
    expect(result).toMatchObject({ value: 1 });
    expect(
      coordinatorOn(space)
        .positions()
        .map(({ offset }) => offset)
        .toSorted((a, b) => a - b),
    ).toEqual([0, 0, 2]);
  });
});

it.each(["", "\ud800", "x".repeat(246)])("id %j is refused", async (bad) => {
  const space = await FakeSpace.open();
  const run = coordinatorOn(space).run({ agent: "a", id: bad }, () => 1);
  await expect(run).rejects.toMatchObject({ code: "invalid_argument" });
});
