import { CallError, defineHandlers, isCallError, type CallContext } from "@seriatim/effects";
import type { Transaction } from "@seriatim/client";
import type { Hold, Submit } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { barrier, coordinatorOn, FakeSpace, gate } from "./fake-space.ts";

/** A receiver that notes who called it, and handlers that reach it. */
function receiver() {
  const calls: CallContext[] = [];
  const note = (_: unknown, context: CallContext): unknown => {
    calls.push(context);
    return { reservation: calls.length };
  };
  const handlers = defineHandlers({
    reserve: { call: note, timeout: 1_000 },
    release: { call: note },
    nothing: { call: () => undefined },
  });
  return { calls, handlers };
}

/** What happens in a space, in order, in a word each. */
function happenings(space: FakeSpace): string[] {
  const seen: string[] = [];
  space.onAppend = ({ kind }) => void seen.push(kind);
  space.onReport = (record) => void seen.push(record.kind === "report" ? `report ${record.result.kind}` : record.kind);
  return seen;
}

function recordsOf<Kind extends "hold" | "submit">(space: FakeSpace, kind: Kind) {
  const seen: Extract<Hold | Submit, { readonly kind: Kind }>[] = [];
  space.onAppend = (record) => {
    if (record.kind === kind) seen.push(record as (typeof seen)[number]);
  };
  return seen;
}

function closed(space: FakeSpace, id: string) {
  return space.view.decisionOf(id)?.outcome;
}

/** Handlers of which `reserve` fails. */
function failing(fault: "not_done" | "refused" | "unsettled") {
  return defineHandlers({
    reserve: {
      call: () => {
        throw new CallError(fault, "no seat");
      },
    },
    release: { call: () => undefined },
  });
}

const undo = { undo: "release" } as const;
const reserve = (tx: Transaction): Promise<unknown> => tx.compensable("reserve", { seat: 4 }, undo);

describe("a compensable", () => {
  it("is held, and that decided, before it is called; its result stands in the log before the function has it", async () => {
    const space = await FakeSpace.open();
    const { handlers, calls } = receiver();
    const seen = happenings(space);
    const original = handlers.get("reserve");
    const watched = new Map(handlers).set("reserve", {
      ...(original as NonNullable<typeof original>),
      call: (args, context) => {
        seen.push("call");
        expect(space.view.decision(0, context.offset)?.outcome.kind).toBe("held");
        return original?.call(args, context);
      },
    });
    const result = await coordinatorOn(space, { handlers: watched }).run({ agent: "a" }, async (tx) => {
      const made = await reserve(tx);
      seen.push("function");
      tx.put("seats/4", "taken");
      return made;
    });
    expect(result).toMatchObject({ outcome: "committed", value: { reservation: 1 } });
    expect(seen).toEqual(["hold", "call", "report done", "function", "submit"]);
    expect(calls[0]).toMatchObject({
      name: "reserve",
      side: "forward",
      partition: 0,
      offset: 1,
      attempt: 1,
      forward: null,
    });
    expect(calls[0]?.key).toMatch(/^[\da-f]{64}$/);
    expect(space.reports).toMatchObject([
      { effect: { offset: 1, index: 0, side: "forward" }, claim: null, result: { kind: "done" } },
    ]);
  });

  it("is confirmed by the intent, in the order of the log", async () => {
    const space = await FakeSpace.open();
    const submits = recordsOf(space, "submit");
    await coordinatorOn(space, { handlers: receiver().handlers }).run({ agent: "a" }, async (tx) => {
      await Promise.all([reserve(tx), reserve(tx), reserve(tx)]);
    });
    expect(submits.map(({ holds }) => holds)).toEqual([[1, 2, 3]]);
  });

  it("returns undefined where the handler does", async () => {
    const space = await FakeSpace.open();
    const { handlers } = receiver();
    const result = await coordinatorOn(space, { handlers }).run({ agent: "a" }, (tx) =>
      tx.compensable("nothing", null, undo),
    );
    expect(result).toMatchObject({ outcome: "committed", value: undefined });
  });

  it("that another attempt makes again has a new id and a new key", async () => {
    const space = await FakeSpace.open();
    const { handlers, calls } = receiver();
    const coordinator = coordinatorOn(space, { handlers });
    const result = await coordinator.run({ agent: "a", id: "trip" }, async (tx) => {
      await tx.get("a/x");
      await reserve(tx);
      if (tx.attempt === 1) await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1));
    });
    expect(result).toMatchObject({ outcome: "committed", attempts: 2 });
    expect(calls.map(({ intent }) => intent)).toEqual(["run/trip/1", "run/trip/2"]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
  });

  it("at level none leaves the snapshot where it is, so that the intent may confirm it", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { handlers: receiver().handlers });
    const result = await coordinator.run({ agent: "a", isolation: "none" }, async (tx) => {
      await reserve(tx);
      await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1));
      return (await tx.get("a/x")) ?? "as of before";
    });
    expect(result).toMatchObject({ outcome: "committed", value: "as of before" });
  });
});

describe("the id is closed, so that what was held can be undone, when", () => {
  it("the function throws, whose error passes through unchanged", async () => {
    const space = await FakeSpace.open();
    const seen = happenings(space);
    const error = new Error("mine");
    const run = coordinatorOn(space, { handlers: receiver().handlers }).run({ agent: "a", id: "x" }, async (tx) => {
      await reserve(tx);
      throw error;
    });
    await expect(run).rejects.toBe(error);
    expect(seen).toEqual(["hold", "report done", "cancel"]);
    expect(closed(space, "run/x/1")).toEqual({ kind: "cancelled" });
  });

  it("it is not known in time what became of a later hold", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { handlers: receiver().handlers, verdictTimeout: 100 });
    const run = coordinator.run({ agent: "a", id: "x" }, async (tx) => {
      await reserve(tx);
      space.isPaused = true;
      await reserve(tx);
    });
    await expect(run).rejects.toMatchObject({ code: "unknown_outcome" });
    await space.resume();
    expect(closed(space, "run/x/1")).toEqual({ kind: "cancelled" });
  });

  it("the caller's signal fires before the submit", async () => {
    const space = await FakeSpace.open();
    const stop = new AbortController();
    const coordinator = coordinatorOn(space, { handlers: receiver().handlers });
    const run = coordinator.run({ agent: "a", id: "x", signal: stop.signal }, async (tx) => {
      await reserve(tx);
      stop.abort();
    });
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(closed(space, "run/x/1")).toEqual({ kind: "cancelled" });
  });

  it("what was read is overwritten, and the function gives up", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { handlers: receiver().handlers });
    await coordinator.run({ agent: "a", id: "x" }, async (tx) => {
      await tx.get("a/x");
      const { signal } = tx;
      await reserve(tx);
      if (tx.attempt === 1) await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1));
      signal.throwIfAborted();
    });
    expect(closed(space, "run/x/1")).toEqual({ kind: "cancelled" });
    expect(closed(space, "run/x/2")).toMatchObject({ kind: "committed" });
  });

  it("nothing was sent after all", async () => {
    const space = await FakeSpace.open({ limits: { recordBytes: 400 } });
    const coordinator = coordinatorOn(space, { handlers: receiver().handlers });
    const run = coordinator.run({ agent: "a", id: "x" }, async (tx) => {
      await reserve(tx);
      tx.put("a/x", "x".repeat(400));
    });
    await expect(run).rejects.toThrow(/recordBytes/);
    expect(closed(space, "run/x/1")).toEqual({ kind: "cancelled" });
  });

  it("and not when a conflict has closed it", async () => {
    const space = await FakeSpace.open();
    const coordinator = coordinatorOn(space, { handlers: receiver().handlers });
    const run = coordinator.run({ agent: "a", attempts: 1 }, async (tx) => {
      await tx.get("a/x");
      await reserve(tx);
      await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1));
      space.onAppend = ({ kind }) => expect(kind).toBe("submit");
    });
    expect(await run).toMatchObject({ outcome: "refused", refusal: { code: "conflict" } });
  });
});

describe("a hold of which it is not known whether it was appended", () => {
  it.each(["lost answer", "lost record", "unavailable"] as const)(
    "%s: is sent again, the same bytes",
    async (fault) => {
      const space = await FakeSpace.open();
      const { handlers, calls } = receiver();
      const holds = recordsOf(space, "hold");
      space.faults.push(fault, fault);
      const result = await coordinatorOn(space, { handlers, verdictTimeout: 5_000 }).run({ agent: "a" }, reserve);
      expect(result).toMatchObject({ outcome: "committed" });
      expect(new Set(holds.map((hold) => JSON.stringify(hold))).size).toBe(1);
      expect(holds.length).toBeGreaterThan(fault === "lost answer" ? 0 : 2);
      expect(calls).toHaveLength(1);
    },
  );

  it("calls nothing when its verdict does not come", async () => {
    const space = await FakeSpace.open();
    const { handlers, calls } = receiver();
    space.isPaused = true;
    const run = coordinatorOn(space, { handlers, verdictTimeout: 30 }).run({ agent: "a" }, reserve);
    await expect(run).rejects.toMatchObject({ code: "unknown_outcome" });
    expect(calls).toEqual([]);
  });
});

it("a verdict that comes too late for the call to end within the lease: it is not called, and the log says so", async () => {
  const space = await FakeSpace.open();
  const { handlers, calls } = receiver();
  let now = 0;
  space.onAppend = ({ kind }) => {
    if (kind === "hold") now += 4_000;
  };
  const lease = 5_000;
  const coordinator = coordinatorOn(space, { handlers, clock: () => now, verdictTimeout: 60_000 });
  const run = coordinator.run({ agent: "a", id: "x" }, (tx) => tx.compensable("reserve", 1, { ...undo, lease }));
  await expect(run).rejects.toMatchObject({ code: "unavailable", message: expect.stringContaining("lease") as string });
  expect(calls).toEqual([]);
  expect(space.reports).toMatchObject([{ result: { kind: "failed" } }]);
  const inTime = coordinator.run({ agent: "a", id: "x" }, (tx) =>
    tx.compensable("reserve", 1, { ...undo, lease: lease + 1 }),
  );
  expect(await inTime).toMatchObject({ outcome: "committed" });
});

describe("a call that fails", () => {
  it.each([
    ["not_done", "failed"],
    ["refused", "failed"],
    ["unsettled", "unknown"],
  ] as const)("%s: stands in the log as %s, and its hold is not confirmed", async (fault, kind) => {
    const space = await FakeSpace.open();
    const submits = recordsOf(space, "submit");
    const coordinator = coordinatorOn(space, { handlers: failing(fault) });
    const result = await coordinator.run({ agent: "a" }, async (tx) => {
      const error = await reserve(tx).catch((thrown: unknown) => thrown);
      expect(isCallError(error) && error.fault).toBe(fault);
      tx.put("a/x", "without it");
    });
    expect(result).toMatchObject({ outcome: "committed" });
    expect(space.reports).toMatchObject([{ result: { kind, error: "no seat" } }]);
    expect(submits.map(({ holds }) => holds)).toEqual([[]]);
  });

  it("and one that is not awaited is not confirmed either", async () => {
    const space = await FakeSpace.open();
    const submits = recordsOf(space, "submit");
    const called = gate();
    const handlers = defineHandlers({
      reserve: {
        call: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("stopped")));
            called.open();
          }),
      },
      release: { call: () => undefined },
    });
    let left: Promise<unknown> | undefined;
    await coordinatorOn(space, { handlers }).run({ agent: "a" }, async (tx) => {
      left = reserve(tx);
      left.catch(() => undefined);
      await called.opened;
    });
    await expect(left).rejects.toThrow();
    expect(submits.map(({ holds }) => holds)).toEqual([[]]);
  });
});

describe("two runs under one id", () => {
  it("the second waits for what the first holds to be committed, and gets that", async () => {
    const space = await FakeSpace.open();
    const { handlers, calls } = receiver();
    const all = barrier(2);
    const run = (agent: string) =>
      coordinatorOn(space, { handlers, verdictTimeout: 5_000 }).run({ agent, id: "trip" }, async (tx) => {
        if (tx.attempt === 1) await all();
        await reserve(tx);
        return agent;
      });
    const [one, two] = await Promise.all([run("one"), run("two")]);
    expect(one).toMatchObject({ outcome: "committed", value: (two as { value: unknown }).value });
    expect(calls).toHaveLength(1);
  });

  it("the second expires what the first left behind, and begins under another number", async () => {
    const space = await FakeSpace.open();
    const { handlers, calls } = receiver();
    const dead = coordinatorOn(space, { handlers }).run({ agent: "one", id: "trip" }, async (tx) => {
      await tx.compensable("reserve", 1, { ...undo, lease: 2_000 });
      await new Promise(() => undefined);
    });
    dead.catch(() => undefined);
    while (space.reports.length === 0) await new Promise(setImmediate);
    const seen: string[] = [];
    space.onAppend = ({ kind }) => {
      seen.push(kind);
      // The first comes too early.
      if (seen.length === 2) space.time += 2_000;
    };
    const clock = { clock: () => space.time };
    const second = coordinatorOn(space, { handlers, verdictTimeout: 5_000, ...clock });
    expect(await second.run({ agent: "two", id: "trip" }, reserve)).toMatchObject({
      outcome: "committed",
      intent: "run/trip/2",
      attempts: 1,
    });
    expect(seen).toEqual(["expire", "expire", "hold", "submit"]);
    expect(space.view.decisionOf("run/trip/1")?.outcome.kind).toBe("expired");
    expect(calls).toHaveLength(2);
  }, 20_000);
});

describe("what was to be called at once", () => {
  it("is refused, with the reason and what to do", async () => {
    const space = await FakeSpace.open();
    space.onAppend = () => expect.unreachable();
    const run = coordinatorOn(space, { handlers: receiver().handlers }).run({ agent: "a" }, (tx) =>
      tx.immediate("reserve", 1),
    );
    await expect(run).rejects.toThrow(
      /boundary is in the wrong place.*once run has returned.*defer.*compensable.*force/,
    );
  });

  it("is held without an inverse, and called, when it is forced", async () => {
    const space = await FakeSpace.open();
    const { handlers, calls } = receiver();
    const holds = recordsOf(space, "hold");
    const run = coordinatorOn(space, { handlers }).run({ agent: "a" }, async (tx) => {
      expect(await tx.immediate("reserve", 1, { force: true })).toEqual({ reservation: 1 });
      throw new Error("given up");
    });
    await expect(run).rejects.toThrow("given up");
    expect(holds.map(({ name, undo: inverse }) => [name, inverse])).toEqual([["reserve", null]]);
    expect(calls).toHaveLength(1);
  });
});

describe("what cannot be called is refused at the call, with the remedy, and nothing is sent", () => {
  const { handlers } = receiver();
  it.each<[string, (tx: Transaction) => unknown, RegExp]>([
    [
      "an unknown handler",
      (tx) => tx.compensable("book", 1, undo),
      /no handler is named "book"; defined are "reserve"/,
    ],
    ["an unknown inverse", (tx) => tx.compensable("reserve", 1, { undo: "book" }), /no handler is named "book"/],
    ["an effect of an unknown handler", (tx) => tx.defer("book", 1), /no handler is named "book"/],
    ["no inverse", (tx) => tx.compensable("reserve", 1, {} as never), /has no undo.*{ undo: "release" }.*tx.defer/],
    ["no options", (tx) => tx.compensable("reserve", 1, undefined as never), /has no undo/],
    ["no JSON", (tx) => tx.compensable("reserve", 1n, undo), /the arguments of "reserve" is a BigInt/],
    ["large arguments", (tx) => tx.compensable("reserve", "x".repeat(70_000), undo), /\(effectBytes\)/],
    [
      "a short lease",
      (tx) => tx.compensable("reserve", 1, { ...undo, lease: 1_000 }),
      /lease of "reserve" is 1000 ms.*leaseMs/,
    ],
    ["a long lease", (tx) => tx.immediate("reserve", 1, { force: true, lease: 3_600_001 }), /up to 3600000 ms/],
  ])("%s", async (_, fn, message) => {
    const space = await FakeSpace.open();
    space.onAppend = () => expect.unreachable();
    const run = coordinatorOn(space, { handlers }).run({ agent: "a" }, async (tx) => void (await fn(tx)));
    await expect(run).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(message) as string,
    });
  });

  it("anything, where no handlers are defined", async () => {
    const run = coordinatorOn(await FakeSpace.open()).run({ agent: "a" }, reserve);
    await expect(run).rejects.toThrow(/no handlers are defined; give open or connect/);
  });

  it("what belongs to no partition yet", async () => {
    const coordinator = coordinatorOn(await FakeSpace.open({ partitions: 3 }), { handlers });
    await expect(coordinator.run({ agent: "a" }, reserve)).rejects.toThrow(/touched no key yet.*partitionKey/);
    expect(await coordinator.run({ agent: "a", partitionKey: "p" }, reserve)).toMatchObject({ outcome: "committed" });
  });

  it("more than the space allows", async () => {
    const coordinator = coordinatorOn(await FakeSpace.open({ limits: { holds: 1 } }), { handlers });
    const run = coordinator.run({ agent: "a" }, async (tx) => {
      await reserve(tx);
      await reserve(tx);
    });
    await expect(run).rejects.toThrow(/has made 1 calls that are held, .*\(holds\)/);
  });
});

it("a lane is that of the handler, unless named", async () => {
  const space = await FakeSpace.open();
  const submits = recordsOf(space, "submit");
  const handlers = defineHandlers({ pay: { call: () => undefined, lane: "money" } });
  await coordinatorOn(space, { handlers }).run({ agent: "a" }, (tx) => {
    tx.defer("pay", 1);
    tx.defer("pay", 1, { lane: "post" });
  });
  expect(submits[0]?.effects.map(({ lane }) => lane)).toEqual(["money", "post"]);
});
