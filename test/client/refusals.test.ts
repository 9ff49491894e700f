import type { Coordinator, IntentRequest, Refusal, RunOptions, RunResult, Transaction } from "@seriatim/client";
import { isTransient } from "@seriatim/client";
import { refusalCodes, toBytes, toKey, type Isolation } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { backoffDelay } from "../../libs/client/src/waiting.ts";
import { coordinatorOn, FakeSpace } from "./fake-space.ts";

function refusalIn(result: RunResult<unknown>): Refusal {
  if (result.outcome === "refused") return result.refusal;
  throw new Error("it has committed");
}

/** The refusal of one attempt that reads, is overtaken by the planner, and then writes. */
async function overtaken(
  before: Readonly<Record<string, unknown>>,
  reads: (tx: Transaction) => unknown,
  meanwhile: (tx: Transaction) => void,
  writes: (tx: Transaction) => void = () => undefined,
  isolation: Isolation = "serializable",
): Promise<Refusal> {
  const coordinator = coordinatorOn(await FakeSpace.open());
  await coordinator.run({ agent: "seeder" }, (tx) => {
    for (const [key, value] of Object.entries(before)) tx.put(key, value);
  });
  const result = await coordinator.run({ agent: "approver", id: "mine", attempts: 1, isolation }, async (tx) => {
    await reads(tx);
    await coordinator.run({ agent: "planner", id: "plan" }, meanwhile);
    writes(tx);
  });
  return refusalIn(result);
}

describe("a conflict (case 12)", () => {
  it("names the key, who wrote it, by which intent, at which version, what it holds now, and what to do", async () => {
    const refusal = await overtaken(
      { "policy/budget": 50 },
      (tx) => tx.get("policy/budget"),
      (tx) => tx.put("policy/budget", 30),
    );
    expect(refusal).toEqual({
      code: "conflict",
      message:
        '"policy/budget" was changed by agent "planner" (intent run/plan/1) at version 0@2, after you read it at 0@1; ' +
        "it now holds 30. Read it again and decide anew.",
      conflicts: [
        {
          kind: "point",
          key: "policy/budget",
          version: { partition: 0, offset: 2 },
          agent: "planner",
          intent: "run/plan/1",
          time: new Date("2026-01-15T00:00:00Z"),
          deleted: false,
          value: 30,
          yours: { partition: 0, offset: 1 },
        },
      ],
      intent: "run/mine/1",
      version: { partition: 0, offset: 3 },
      advice: "read_again",
    });
  });

  it("of a key found absent", async () => {
    const refusal = await overtaken(
      {},
      (tx) => tx.get("a/x"),
      (tx) => tx.put("a/x", { n: 1 }),
    );
    expect(refusal.message).toMatch(
      /^"a\/x" was created by agent "planner" .*, after you found it absent; it now holds \{"n":1\}\. /,
    );
    expect(refusal.conflicts[0]).toMatchObject({ yours: "absent" });
  });

  it("of a key that was deleted", async () => {
    const refusal = await overtaken(
      { "a/x": 1 },
      (tx) => tx.get("a/x"),
      (tx) => tx.delete("a/x"),
    );
    expect(refusal.message).toMatch(
      /^"a\/x" was deleted by agent "planner" .*, after you read it at 0@1; it is absent now\. /,
    );
    expect(refusal.conflicts[0]).toMatchObject({ deleted: true, value: undefined });
  });

  it("inside of a range: appeared, changed, deleted", async () => {
    const refusal = await overtaken(
      { "a/changed": 1, "a/deleted": 1 },
      (tx) => tx.scan({ prefix: "a/" }),
      (tx) => {
        tx.put("a/appeared", 1);
        tx.put("a/changed", 2);
        tx.delete("a/deleted");
        tx.put("a/last", 1);
      },
    );
    expect(refusal.message.split(". ")).toEqual([
      expect.stringMatching(
        /^"a\/appeared" appeared in the range that you read, written by agent "planner" .* now holds 1$/,
      ),
      expect.stringMatching(/^"a\/changed" was changed by .* inside the range that you read; it now holds 2$/),
      expect.stringMatching(/^"a\/deleted" was deleted by .* from the range that you read; it is absent now$/),
      "1 more key changed too",
      "Read them again and decide anew.",
    ]);
    expect(refusal.conflicts.map(({ yours }) => yours)).toEqual(["range", "range", "range", "range"]);
  });

  it("of a key that was written without having been read", async () => {
    const refusal = await overtaken(
      { "a/x": 1 },
      () => undefined,
      (tx) => tx.put("a/x", 2),
      (tx) => tx.put("a/x", 3),
    );
    expect(refusal.message).toMatch(
      /^"a\/x", which you write without having read it, was changed by .*, after your snapshot;/,
    );
    expect(refusal.message).toMatch(/Read it first and decide anew, or declare the write blind/);
    expect(refusal.conflicts[0]).toMatchObject({ kind: "write", yours: "unread" });
  });

  it("at level snapshot, of a key that was read as well: by itself, or in a range", async () => {
    const ways = [
      { reads: (tx: Transaction) => tx.get("a/x"), says: ", after you read it at 0@1; it now", yours: { offset: 1 } },
      {
        reads: (tx: Transaction) => tx.scan({ prefix: "a/" }),
        says: " inside the range that you read;",
        yours: "range",
      },
    ];
    for (const { reads, says, yours } of ways) {
      const refusal = await overtaken(
        { "a/x": 1 },
        reads,
        (tx) => tx.put("a/x", 2),
        (tx) => tx.put("a/x", 3),
        "snapshot",
      );
      expect(refusal.message).toContain(says);
      expect(refusal.message).toMatch(/Read it again and decide anew\.$/);
      expect(refusal.conflicts[0]).toMatchObject({ kind: "write", yours });
    }
  });

  it("elides what is long, in the sentence and not in the data", async () => {
    const long = "x".repeat(5000);
    const refusal = await overtaken(
      {},
      (tx) => tx.get("a/x"),
      (tx) => tx.put("a/x", long),
    );
    expect(refusal.message).toMatch(/it now holds "x{199}\.\.\. \(5002 characters of JSON\)/);
    expect(refusal.conflicts[0]?.value).toBe(long);
    const raw = await overtaken(
      {},
      (tx) => tx.get("a/x"),
      (tx) => tx.put("a/x", new Uint8Array(7)),
    );
    expect(raw.message).toContain("it now holds 7 raw bytes");
  });
});

it("a permanent conflict is tried so often and no more; the last one is returned whole (case 44)", async () => {
  const coordinator = coordinatorOn(await FakeSpace.open());
  const run = (options: Partial<RunOptions>) =>
    coordinator.run({ agent: "unlucky", ...options }, async (tx) => {
      await tx.get("a/x");
      await coordinator.run({ agent: "rival" }, (other) => other.put("a/x", tx.attempt, { blind: true }));
    });
  const byDefault = await run({});
  expect(byDefault).toMatchObject({
    outcome: "refused",
    attempts: 10,
    refusal: { conflicts: [{ key: "a/x", value: 10 }] },
  });
  expect(await run({ attempts: 3 })).toMatchObject({ outcome: "refused", attempts: 3 });
  expect(coordinator.statistics()).toMatchObject({ retries: 9 + 2, refusals: { conflict: 13 } });
  await expect(run({ attempts: 0 })).rejects.toMatchObject({ code: "invalid_argument" });
});

it("the next attempt begins only when the view has caught up with the refusal", async () => {
  const space = await FakeSpace.open();
  const waited: unknown[] = [];
  space.reached = async (version) => void waited.push(version);
  await coordinatorOn(space).run({ agent: "a" }, async (tx) => {
    await tx.get("a/x");
    if (tx.attempt === 1) await coordinatorOn(space).run({ agent: "b" }, (other) => other.put("a/x", 1));
  });
  expect(waited).toEqual([{ partition: 0, offset: 2 }]);
});

it("the wait grows from attempt to attempt up to the cap, with full jitter", () => {
  const backoff = { base: 4, cap: 30 };
  const longest = [0, 1, 2, 3, 4, 2000].map((retry) => backoffDelay(backoff, retry, () => 1));
  expect(longest).toEqual([4, 8, 16, 30, 30, 30]);
  expect(backoffDelay(backoff, 1, () => 0.25)).toBe(2);
  expect(backoffDelay(backoff, 1, () => 0)).toBe(0);
});

async function submitted(coordinator: Coordinator, intent: IntentRequest): Promise<Refusal> {
  const result = await coordinator.submit(intent);
  if (result.outcome === "refused") return result.refusal;
  throw new Error("it has committed");
}

describe("other refusals", () => {
  it("not_in_time says which time it was, and is not tried again", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space);
    const result = await coordinator.run({ agent: "a" }, (tx) => {
      tx.validFrom(new Date("2026-01-01T00:00:00Z"));
      tx.validUntil(new Date("2026-01-31T00:00:00Z"));
      tx.validUntil(new Date("2026-01-02T00:00:00Z"));
      tx.put("a/x", 1);
    });
    expect(result).toMatchObject({
      outcome: "refused",
      attempts: 1,
      refusal: { code: "not_in_time", advice: "check_time" },
    });
    expect(refusalIn(result).message).toContain(
      "Log time at the decision was 2026-01-15T00:00:00.000Z, outside of the time for which the intent",
    );
    expect(refusalIn(result).message).toContain("from 2026-01-01T00:00:00.000Z until 2026-01-02T00:00:00.000Z");
    const inTime = await coordinator.run({ agent: "a" }, (tx) => {
      tx.validFrom(space.time);
      tx.validUntil(space.time + 1);
    });
    expect(inTime).toMatchObject({ outcome: "committed" });
  });

  it.each([new Date(8.64e15), Number.MAX_SAFE_INTEGER])("what is valid until %d is valid for ever", async (never) => {
    const coordinator = coordinatorOn(await FakeSpace.open());
    const result = await coordinator.run({ agent: "a" }, (tx) => {
      tx.validUntil(never);
      tx.put("a/x", 1);
    });
    expect(result).toMatchObject({ outcome: "committed" });
  });

  it("invalid gives the rule", async () => {
    const coordinator = coordinatorOn(await FakeSpace.open());
    const write = { key: toKey("a/x"), value: null, blind: false };
    const refusal = await submitted(coordinator, { agent: "a", id: "i", writes: [write, write] });
    expect(refusal).toMatchObject({
      code: "invalid",
      reason: "key_repeated",
      advice: "correct",
      message:
        'The intent "i" breaks the rules of this space: it reads or writes the same key twice. Nothing was written. ' +
        "Correct it; sending the same again is of no use.",
    });
    const range = { from: toBytes("a/y"), to: toBytes("a/x") };
    expect(await submitted(coordinator, { agent: "a", ranges: [range] })).toMatchObject({ reason: "bad_range" });
    expect(await submitted(coordinator, { agent: "a", partition: 0, snapshot: 99 })).toMatchObject({ code: "invalid" });
  });

  it("too_large gives the limit", async () => {
    const limits = { verdictBytes: 2048, conflicts: 1, keyBytes: 64, nameBytes: 64, effectBytes: 1024 };
    const coordinator = coordinatorOn(await FakeSpace.open({ limits }));
    const result = await coordinator.run({ agent: "a" }, (tx) => tx.put("a/x", "x".repeat(3000)));
    expect(result).toMatchObject({ attempts: 1, refusal: { code: "too_large", advice: "make_smaller" } });
    expect(refusalIn(result).message).toContain("2048 bytes");
  });

  it("id_reused and cancelled say by whom", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space);
    await coordinator.submit({ agent: "first", id: "i", partition: 0 });
    expect((await submitted(coordinator, { agent: "second", id: "i", partition: 0 })).message).toBe(
      'The id "i" was used before, for another intent by agent "first" at version 0@1. This one wrote nothing. ' +
        "Look up what the first one came to; for something else take another id.",
    );
    space.faults.push("lost record");
    const refusal = await submitted(coordinator, { agent: "a", id: "j", partition: 0 });
    expect(refusal).toMatchObject({ code: "cancelled", advice: "use_another_id" });
    expect(coordinator.statistics().refusals).toMatchObject({ id_reused: 1, cancelled: 1 });
  });
});

it("those codes are transient for which a fresh snapshot can help", () => {
  expect(refusalCodes.filter(isTransient)).toEqual(["too_old", "cancelled", "conflict"]);
});
