/* Invariant 5, seen from the client: two transactions interleaved by hand at each level. */
import { isolations, toKey, type Isolation } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { barrier, coordinatorOn, FakeSpace } from "./fake-space.ts";

async function seeded(entries: Readonly<Record<string, unknown>>) {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space);
  await coordinator.run({ agent: "seeder" }, (tx) => {
    for (const [key, value] of Object.entries(entries)) tx.put(key, value);
  });
  return { space, coordinator };
}

describe("a value read that somebody else overwrites", () => {
  const expected: Readonly<Record<Isolation, string>> = {
    serializable: "refused",
    snapshot: "committed",
    none: "committed",
  };
  it.each(isolations)("level %s", async (isolation) => {
    const { coordinator } = await seeded({ "policy/budget": 100 });
    const result = await coordinator.run({ agent: "reader", isolation, attempts: 1 }, async (tx) => {
      const budget = await tx.get<number>("policy/budget");
      await coordinator.run({ agent: "writer" }, (other) => other.put("policy/budget", 30));
      tx.put("policy/report", budget);
    });
    expect(result.outcome).toBe(expected[isolation]);
  });
});

describe("a key written by both, never read (case 11)", () => {
  const expected: Readonly<Record<Isolation, string>> = {
    serializable: "refused",
    snapshot: "refused",
    none: "committed",
  };
  it.each(isolations)("level %s", async (isolation) => {
    const { coordinator } = await seeded({ "notes/all": "old" });
    const result = await coordinator.run({ agent: "stale", isolation, attempts: 1 }, async (tx) => {
      await coordinator.run({ agent: "sibling" }, (other) => other.put("notes/all", "the sibling's"));
      tx.put("notes/all", "mine");
    });
    expect(result.outcome).toBe(expected[isolation]);
    expect(await coordinator.get("notes/all")).toBe(expected[isolation] === "refused" ? "the sibling's" : "mine");
  });

  it("commits if the write is declared blind", async () => {
    const { coordinator } = await seeded({ "notes/all": "old" });
    const result = await coordinator.run({ agent: "stale", attempts: 1 }, async (tx) => {
      await coordinator.run({ agent: "sibling" }, (other) => other.put("notes/all", "the sibling's"));
      tx.put("notes/all", "mine", { blind: true });
    });
    expect(result.outcome).toBe("committed");
    expect(await coordinator.get("notes/all")).toBe("mine");
  });

  it("one write that is not blind is enough for the key to count as seen", async () => {
    const { coordinator } = await seeded({});
    const result = await coordinator.run({ agent: "stale", attempts: 1 }, async (tx) => {
      await coordinator.run({ agent: "sibling" }, (other) => other.put("notes/all", 1));
      tx.put("notes/all", 2);
      tx.put("notes/all", 3, { blind: true });
    });
    expect(result.outcome).toBe("refused");
  });
});

it("write skew: both read both, each writes one; one of them commits at the first attempt", async () => {
  const { coordinator } = await seeded({ "oncall/a": true, "oncall/b": true });
  const everybodyHasRead = barrier(2);
  const leave = (name: string) =>
    coordinator.run({ agent: name, attempts: 1 }, async (tx) => {
      const on = await tx.scan<boolean>({ prefix: "oncall/" });
      await everybodyHasRead();
      if (on.filter(({ value }) => value).length > 1) tx.put(`oncall/${name}`, false);
    });
  const outcomes = await Promise.all([leave("a"), leave("b")]);
  expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(["committed", "refused"]);
});

it("a range read refuses what was added to it by a transaction that read nothing (case 17)", async () => {
  const { coordinator } = await seeded({ "tasks/1": "open" });
  const result = await coordinator.run({ agent: "A", attempts: 1 }, async (tx) => {
    const tasks = await tx.scan({ prefix: "tasks/" });
    await coordinator.run({ agent: "B" }, (other) => other.put("tasks/2", "open"));
    tx.put("summary/tasks", tasks.length);
  });
  expect(result).toMatchObject({ outcome: "refused", refusal: { code: "conflict", conflicts: [{ key: "tasks/2" }] } });
});

it("what rests on a range that could not be read is refused when the range changes", async () => {
  const space = await FakeSpace.open();
  const coordinator = coordinatorOn(space);
  const write = { key: toKey("list/a"), value: Buffer.from("{"), blind: false };
  await coordinator.submit({ agent: "other", writes: [write] });
  const result = await coordinator.run({ agent: "a", attempts: 1 }, async (tx) => {
    await tx.scan({ prefix: "list/" }).catch(() => undefined);
    await coordinator.run({ agent: "b" }, (other) => other.put("list/a", 1));
    tx.put("alarms/list", "it cannot be read");
  });
  expect(result).toMatchObject({ outcome: "refused", refusal: { code: "conflict" } });
});

it("a transaction that only reads is decided too", async () => {
  const { coordinator } = await seeded({ "a/1": 1, "a/2": 1 });
  const result = await coordinator.run({ agent: "auditor", attempts: 2 }, async (tx) => {
    const first = await tx.get<number>("a/1");
    if (tx.attempt === 1)
      await coordinator.run({ agent: "mover" }, (other) => {
        other.put("a/1", 0);
        other.put("a/2", 2);
      });
    return (first ?? 0) + ((await tx.get<number>("a/2")) ?? 0);
  });
  expect(result).toMatchObject({ outcome: "committed", value: 2, attempts: 2, version: { partition: 0 } });
});

it("reads come from the snapshot, whatever is written meanwhile; at level none from the newest state", async () => {
  const { coordinator } = await seeded({ "a/x": 1 });
  const twice = async (isolation: Isolation) => {
    const seen: unknown[] = [];
    await coordinator.run({ agent: "reader", isolation, attempts: 1 }, async (tx) => {
      seen.push(await tx.get("a/x"), tx.snapshot.offset);
      await coordinator.run({ agent: "writer" }, async (other) =>
        other.put("a/x", ((await other.get<number>("a/x")) ?? 0) + 1),
      );
      seen.push(await tx.get("a/x"), tx.snapshot.offset);
      expect(await tx.count({ prefix: "a/" })).toBe(1);
    });
    return seen;
  };
  expect(await twice("serializable")).toEqual([1, 1, 1, 1]);
  expect(await twice("snapshot")).toEqual([2, 3, 2, 3]);
  expect(await twice("none")).toEqual([3, 5, 4, 6]);
});

it("level none sends the version that each key was read at, and the last read's snapshot", async () => {
  const { space, coordinator } = await seeded({ "a/x": 1, "a/y": 1 });
  const sent: unknown[] = [];
  await coordinator.run({ agent: "reader", isolation: "none" }, async (tx) => {
    await tx.get("a/x");
    await coordinator.run({ agent: "writer" }, (other) => other.put("a/y", 2));
    await tx.get("a/y");
    space.onAppend = (record) => void sent.push(record);
  });
  expect(sent).toMatchObject([{ snapshot: 2, points: [{ version: 1 }, { version: 2 }] }]);
});

it("several agents at once lose no update", async () => {
  const { coordinator } = await seeded({ "counter/n": 0 });
  const increment = () =>
    coordinator.run({ agent: "counter", attempts: 100 }, async (tx) => {
      tx.put("counter/n", ((await tx.get<number>("counter/n")) ?? 0) + 1);
    });
  const results = await Promise.all(Array.from({ length: 12 }, increment));
  expect(results.every(({ outcome }) => outcome === "committed")).toBe(true);
  expect(await coordinator.get("counter/n")).toBe(12);
});
