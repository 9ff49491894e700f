import type { Transaction } from "@seriatim/client";
import { toKey, type Limits, type Submit } from "@seriatim/protocol";
import { describe, expect, it, vi } from "vitest";
import { coordinatorOn, FakeSpace, gate } from "./fake-space.ts";

/** Runs `fn` once on an empty space, and returns what it sent. */
async function sentBy(fn: (tx: Transaction) => unknown, limits: Partial<Limits> = {}): Promise<Submit | undefined> {
  const space = await FakeSpace.open({ limits });
  let sent: Submit | undefined;
  space.onAppend = (record) => {
    if (record.kind === "submit") sent = record;
  };
  await coordinatorOn(space).run({ agent: "a", attempts: 1 }, async (tx) => void (await fn(tx)));
  return sent;
}

it("sees its own writes", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  await coordinator.run({ agent: "a" }, (tx) => {
    tx.put("a/1", 1);
    tx.put("a/2", 2);
  });
  await coordinator.run({ agent: "a" }, async (tx) => {
    tx.put("a/0", 0);
    tx.delete("a/1");
    tx.put("a/2", "two");
    expect(await tx.get("a/0")).toBe(0);
    expect(await tx.get("a/1")).toBeUndefined();
    expect(await tx.getMany(["a/2", "a/1", "a/9", "a/0"])).toEqual(
      new Map<string, unknown>([
        ["a/2", "two"],
        ["a/0", 0],
      ]),
    );
    expect(await tx.scan({ prefix: "a/" }, { reverse: true })).toEqual([
      { key: "a/2", value: "two" },
      { key: "a/0", value: 0 },
    ]);
    expect(await tx.count({ prefix: "a/" })).toBe(2);
  });
  expect(await coordinator.scan({ prefix: "" })).toEqual([
    { key: "a/0", value: 0, version: { partition: 0, offset: 2 } },
    { key: "a/2", value: "two", version: { partition: 0, offset: 2 } },
  ]);
});

it("a read served from an own write records nothing; other reads the version or that it was absent", async () => {
  const sent = await sentBy(async (tx) => {
    tx.put("a/own", 1);
    await tx.get("a/own");
    await tx.get("a/absent");
    await tx.get("a/absent");
  });
  expect(sent?.points).toEqual([{ key: "a/absent", version: null }]);
});

it("put copies at once", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  await coordinator.run({ agent: "a" }, (tx) => {
    const value = { n: 1 };
    tx.put("a/x", value);
    value.n = 2;
  });
  expect(await coordinator.get("a/x")).toEqual({ n: 1 });
});

describe("limits are met at the call, with the limit's name and a remedy", () => {
  it.each<[string, Partial<Limits>, (tx: Transaction) => unknown, RegExp]>([
    [
      "points",
      { points: 2 },
      (tx) => tx.getMany(["a/1", "a/2", "a/3"]),
      /has read 2 keys .*\(points\); read keys that stand together as one range/,
    ],
    [
      "ranges",
      { ranges: 1 },
      async (tx) => {
        await tx.scan({ prefix: "a/1" });
        await tx.scan({ prefix: "a/3" });
      },
      /has read 1 ranges .*\(ranges\); read one wider range/,
    ],
    [
      "writes",
      { writes: 1 },
      (tx) => {
        tx.put("a/1", 1);
        tx.delete("a/1");
        tx.put("a/2", 1);
      },
      /has written 1 keys, .*\(writes\)/,
    ],
    [
      "valueBytes",
      { valueBytes: 10 },
      (tx) => tx.put("a/1", "123456789"),
      /value of "a\/1" is 11 bytes .* at most 10 .*\(valueBytes\)/,
    ],
    ["keyBytes", { keyBytes: 4 }, (tx) => tx.get("a/123"), /key "a\/123" is 5 bytes long .* at most 4/],
    ["a range's bound", { keyBytes: 4 }, (tx) => tx.scan({ prefix: "a/123" }), /longer than a key may be, 4 bytes/],
    ["recordBytes", { recordBytes: 200 }, (tx) => tx.put("a/1", "x".repeat(200)), /at most 200 .*\(recordBytes\)/],
  ])("%s", async (_, limits, fn, message) => {
    await expect(sentBy(fn, limits)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(message) as string,
    });
  });

  it("resultBytes", async () => {
    const space = await FakeSpace.open({ limits: { resultBytes: 3 } });
    const run = coordinatorOn(space).run({ agent: "a" }, () => "xx");
    await expect(run).rejects.toThrow(/return value is 4 bytes .* at most 3 .*\(resultBytes\)/);
    await expect(coordinatorOn(space).run({ agent: "a" }, () => new Date())).rejects.toThrow(
      /return value is an instance of Date/,
    );
  });

  it("points that a range covers make room", async () => {
    const sent = await sentBy(
      async (tx) => {
        await tx.getMany(["a/1", "a/2"]);
        await tx.scan({ prefix: "a/" });
        await tx.getMany(["a/3", "b/1", "b/2"]);
      },
      { points: 2, ranges: 1 },
    );
    expect(sent?.points.map(({ key }) => key)).toEqual(["b/1", "b/2"]);
  });
});

it.each<[string, (tx: Transaction) => unknown]>([
  ["a key without a slash", (tx) => tx.get("budget")],
  ["an empty rest", (tx) => tx.put("policy/", 1)],
  ["a lone surrogate", (tx) => tx.get("a/\ud800")],
  ["U+0000", (tx) => tx.get("a/\0")],
  ["an empty range", (tx) => tx.scan({ from: "b", to: "a" })],
  ["a range with a lone surrogate", (tx) => tx.scan({ from: "a", to: "\ud800" })],
  ["limit 0", (tx) => tx.scan({ prefix: "a/" }, { limit: 0 })],
  ["limit 1.5", (tx) => tx.scan({ prefix: "a/" }, { limit: 1.5 })],
  ["a value of undefined", (tx) => tx.put("a/x", undefined)],
  ["a date that is none", (tx) => tx.validUntil(new Date("never"))],
])("%s is an invalid argument", async (_, fn) => {
  await expect(sentBy(fn)).rejects.toMatchObject({ code: "invalid_argument" });
});

it("a partition key that was given binds, also where a transaction may touch any number", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  const run = coordinator.run({ agent: "a", partitionKey: "a" }, (tx) => tx.put("b/x", 1));
  await expect(run).rejects.toThrow(/"b\/x" lies under the partition key "b"/);
  const slash = coordinator.run({ agent: "a", partitionKey: "a/" }, () => 1);
  await expect(slash).rejects.toThrow(/partition key "a\/" holds a slash/);
});

it("a level that is none is an invalid argument", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  const run = coordinator.run({ agent: "a", isolation: "read committed" as "none" }, () => 1);
  await expect(run).rejects.toThrow(/isolation is "read committed"; it is serializable, snapshot, none/);
});

it("a value that was written by other means is unreadable, and named", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  await coordinator.submit({ agent: "a", writes: [{ key: toKey("a/x"), value: Buffer.from("{"), blind: true }] });
  const unreadable = {
    code: "unreadable",
    message: expect.stringContaining('the value of "a/x", 1 bytes long') as string,
  };
  await expect(coordinator.get("a/x")).rejects.toMatchObject(unreadable);
  await expect(coordinator.run({ agent: "a" }, (tx) => tx.scan({ prefix: "a/" }))).rejects.toMatchObject(unreadable);
});

it("what agent and id may be", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  for (const agent of ["", "x".repeat(257), "\ud800"])
    await expect(coordinator.run({ agent }, () => 1)).rejects.toMatchObject({ code: "invalid_argument" });
});

it("cannot be used after its function has ended", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  let kept: Transaction | undefined;
  let unfinished: Promise<unknown> | undefined;
  await coordinator.run({ agent: "a" }, (tx) => {
    for (let n = 0; n < 400; n += 1) tx.put(`a/${n}`, n);
  });
  await coordinator.run({ agent: "a" }, (tx) => {
    kept = tx;
    unfinished = tx.scan({ prefix: "a/" });
    unfinished.catch(() => undefined);
    tx.put("b/x", 1);
  });
  await expect(unfinished).rejects.toThrow(/the transaction has ended/);
  expect(() => kept?.put("b/x", 2)).toThrow(/the transaction has ended/);
  await expect(kept?.get("b/x")).rejects.toThrow(/the transaction has ended/);
  await expect(kept?.memo(1, () => 1)).rejects.toThrow(/the transaction has ended/);
});

it("what the function throws passes through unchanged, and nothing is sent", async () => {
  const space = await FakeSpace.open();
  space.onAppend = () => expect.unreachable();
  const error = new Error("mine");
  const run = coordinatorOn(space).run({ agent: "a" }, (tx) => {
    tx.put("a/x", 1);
    throw error;
  });
  await expect(run).rejects.toBe(error);
});

it("with no read, no write and no id there is nothing to decide", async () => {
  const space = await FakeSpace.open();
  space.onAppend = () => expect.unreachable();
  const result = await coordinatorOn(space).run({ agent: "a" }, () => "idle");
  expect(result).toMatchObject({
    outcome: "committed",
    value: "idle",
    attempts: 1,
    version: undefined,
    repeated: false,
  });
});

it("its time is the log time of the snapshot", async () => {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space);
  await coordinator.run({ agent: "a" }, (tx) => tx.put("a/x", 1));
  const before = space.time;
  space.time += 3_600_000;
  expect(await coordinator.run({ agent: "a" }, (tx) => tx.time.getTime())).toMatchObject({ value: before });
});

it("no call keeps the event loop for long", async () => {
  const space = await FakeSpace.open({ limits: { writes: 2000 } });
  const coordinator = coordinatorOn(space);
  await coordinator.run({ agent: "a" }, (tx) => {
    for (let n = 0; n < 1200; n += 1) tx.put(`a/${String(n).padStart(4, "0")}`, n);
  });
  let turns = 0;
  let isScanning = true;
  const turn = () => {
    turns += 1;
    if (isScanning) setImmediate(turn);
  };
  setImmediate(turn);
  await coordinator.run({ agent: "a" }, async (tx) => {
    expect(await tx.scan({ prefix: "a/" })).toHaveLength(1200);
    expect(await tx.scan({ prefix: "a/" }, { reverse: true })).toHaveLength(1200);
    isScanning = false;
  });
  expect(turns).toBeGreaterThanOrEqual(8);
});

it("counts a large range in parts, without its values", async () => {
  const space = await FakeSpace.open({ limits: { writes: 20_000 } });
  const coordinator = coordinatorOn(space);
  await coordinator.run({ agent: "a" }, (tx) => {
    for (let n = 0; n < 12_000; n += 1) tx.put(`a/${n}`, n);
  });
  const parts = vi.spyOn(space.view, "count");
  const scan = vi.spyOn(space.view, "scan");
  await coordinator.run({ agent: "a" }, async (tx) => {
    tx.put("a/1", "one");
    tx.put("a/new", 1);
    tx.delete("a/2");
    tx.delete("a/gone");
    expect(await tx.count({ prefix: "a/" })).toBe(12_000);
    expect(await tx.count({ prefix: "a/2" })).toBe(1110);
  });
  expect(parts).toHaveBeenCalledTimes(3);
  expect(scan).not.toHaveBeenCalled();
});

/** Overwrites what the memo tests read. */
function rival(space: FakeSpace) {
  return coordinatorOn(space).run({ agent: "rival" }, (tx) => tx.put("a/noise", 1, { blind: true }));
}

function write(space: FakeSpace, key: string) {
  return coordinatorOn(space).run({ agent: "rival", id: `write ${key}` }, (tx) => tx.put(key, 1, { blind: true }));
}

describe("memo", () => {
  it("keeps a result over attempts while its inputs are equal", async () => {
    const space = await FakeSpace.open();
    const asked: unknown[] = [];
    const result = await coordinatorOn(space).run({ agent: "a" }, async (tx) => {
      await tx.get("a/noise");
      const inputs = tx.attempt % 2 === 1 ? { task: 1, budget: 2 } : { budget: 2, task: 1 };
      const answer = await tx.memo(inputs, async (told) => {
        asked.push(told);
        return { answer: 42 };
      });
      if (tx.attempt < 4) await rival(space);
      return answer;
    });
    expect(result).toMatchObject({ attempts: 4, value: { answer: 42 } });
    expect(asked).toEqual([{ task: 1, budget: 2 }]);
  });

  it("asks again for other inputs and after an error; at once only one asks", async () => {
    const space = await FakeSpace.open();
    let calls = 0;
    await coordinatorOn(space).run({ agent: "a" }, async (tx) => {
      const ask = (inputs: unknown) => tx.memo(inputs, async () => (calls += 1));
      expect(await Promise.all([ask([1]), ask([1]), ask([2])])).toEqual([1, 1, 2]);
      await expect(tx.memo("x", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
      expect(await ask("x")).toBe(3);
      await expect(ask({ at: new Date() })).rejects.toThrow(/inputs\.at is an instance of Date/);
    });
  });

  it("does not hand the abort of one attempt to the next", async () => {
    const space = await FakeSpace.open();
    const nextHasAsked = gate();
    let calls = 0;
    const result = await coordinatorOn(space).run({ agent: "a" }, async (tx) => {
      await tx.get("a/noise");
      const { signal } = tx;
      const answer = tx.memo("model", async () => {
        calls += 1;
        if (tx.attempt > 1) return "answer";
        await rival(space);
        await nextHasAsked.opened;
        throw signal.reason;
      });
      answer.catch(() => undefined);
      if (tx.attempt === 1)
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stop"))));
      nextHasAsked.open();
      return answer;
    });
    expect(result).toMatchObject({ outcome: "committed", attempts: 2, value: "answer" });
    expect(calls).toBe(2);
  });
});

describe("signal", () => {
  it.each<[string, (tx: Transaction) => unknown]>([
    ["a key read", (tx) => tx.get("a/x")],
    ["a range read", (tx) => tx.scan({ prefix: "a/" })],
    ["a range counted", (tx) => tx.count({ prefix: "a/" })],
    ["a key written", (tx) => tx.put("a/x", 0)],
  ])("fires when %s is overwritten, whenever it was asked for", async (_, touch) => {
    for (const asked of ["before the read", "before the write", "after the write"]) {
      const space = await FakeSpace.open();
      let reason: unknown;
      await coordinatorOn(space).run({ agent: "a", attempts: 1 }, async (tx) => {
        if (asked === "before the read") expect(tx.signal.aborted).toBe(false);
        await touch(tx);
        if (asked === "before the write") expect(tx.signal.aborted).toBe(false);
        await write(space, "b/other");
        if (asked !== "after the write") expect(tx.signal.aborted).toBe(false);
        await write(space, "a/x");
        expect(tx.signal.aborted).toBe(true);
        reason = tx.signal.reason;
      });
      expect(reason).toMatchObject({
        code: "aborted",
        message: expect.stringMatching(
          /"a\/x" was changed by agent "rival" \(intent run\/write a\/x\/1\) at version 0@2/,
        ),
      });
      expect(space.listeners).toBe(0);
    }
  });

  it("fires at a read that is stale already", async () => {
    const space = await FakeSpace.open();
    await coordinatorOn(space).run({ agent: "a", attempts: 1 }, async (tx) => {
      const { signal } = tx;
      await write(space, "a/x");
      expect(signal.aborted).toBe(false);
      await tx.get("a/y");
      expect(signal.aborted).toBe(false);
      await tx.scan({ prefix: "a/" }, { limit: 1 });
      expect(signal.aborted).toBe(true);
    });
  });

  it("does not fire for what cannot refuse: blind writes, and reads at the other levels", async () => {
    const space = await FakeSpace.open();
    for (const isolation of ["serializable", "snapshot", "none"] as const)
      await coordinatorOn(space).run({ agent: "a", isolation }, async (tx) => {
        const { signal } = tx;
        if (isolation !== "serializable") await tx.get(`${isolation}/x`);
        tx.put(`${isolation}/x`, 0, { blind: true });
        await write(space, `${isolation}/x`);
        expect(signal.aborted).toBe(false);
      });
  });

  it("a function that throws because of it is called again", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space);
    const body = async (tx: Transaction) => {
      await tx.get("a/x");
      const { signal } = tx;
      if (tx.attempt === 1) await write(space, "a/x");
      signal.throwIfAborted();
      return "done";
    };
    expect(await coordinator.run({ agent: "a" }, body)).toMatchObject({ attempts: 2, value: "done" });
    expect(coordinator.statistics()).toMatchObject({ attempts: 2, retries: 1, commits: 1 });
    const once = coordinatorOn(await FakeSpace.open()).run({ agent: "a", attempts: 1 }, async (tx) => {
      await tx.get("a/x");
      await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1));
      tx.signal.throwIfAborted();
    });
    // On another space: nothing was overwritten, nothing fires.
    expect(await once).toMatchObject({ outcome: "committed" });
  });

  it("on the last attempt its reason comes out", async () => {
    const space = await FakeSpace.open();
    const run = coordinatorOn(space).run({ agent: "a", attempts: 1 }, async (tx) => {
      await tx.get("a/x");
      await write(space, "a/x");
      tx.signal.throwIfAborted();
    });
    await expect(run).rejects.toMatchObject({ code: "aborted", message: expect.stringContaining('"a/x" was changed') });
  });

  it("fires with the run's own signal", async () => {
    const space = await FakeSpace.open();
    const stop = new AbortController();
    const started = gate();
    const run = coordinatorOn(space).run({ agent: "a", signal: stop.signal }, (tx) => {
      started.open();
      return new Promise((_, reject) => tx.signal.addEventListener("abort", () => reject(tx.signal.reason as Error)));
    });
    await started.opened;
    const reason = new Error("enough");
    stop.abort(reason);
    await expect(run).rejects.toBe(reason);
  });
});
