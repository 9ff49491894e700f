import type { Transaction } from "@seriatim/client";
import type { Effect, Limits, Submit } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { coordinatorOn, FakeSpace } from "./fake-space.ts";

function submitsOf(space: FakeSpace): Submit[] {
  const sent: Submit[] = [];
  space.onAppend = (record) => {
    if (record.kind === "submit") sent.push(record);
  };
  return sent;
}

function legible({ name, lane, arguments: bytes }: Effect): readonly [string, string, string] {
  return [name, lane, Buffer.from(bytes).toString()];
}

describe("defer", () => {
  it("puts effects into the intent, in the order issued, with the lane named or the default one", async () => {
    const space = await FakeSpace.open();
    const sent = submitsOf(space);
    await coordinatorOn(space).run({ agent: "a" }, (tx) => {
      tx.defer("notify", { approval: 1042, to: "å" });
      tx.put("policy/budget", 30);
      tx.defer("pay", 50, { lane: "money" });
      tx.defer("notify", null);
    });
    expect(sent.flatMap(({ effects }) => effects.map(legible))).toEqual([
      ["notify", "default", '{"approval":1042,"to":"å"}'],
      ["pay", "money", "50"],
      ["notify", "default", "null"],
    ]);
  });

  it("copies the arguments at once", async () => {
    const space = await FakeSpace.open();
    const sent = submitsOf(space);
    await coordinatorOn(space).run({ agent: "a" }, (tx) => {
      const args = { n: 1 };
      tx.defer("notify", args);
      args.n = 2;
    });
    expect(sent.flatMap(({ effects }) => effects.map(legible))).toEqual([["notify", "default", '{"n":1}']]);
  });

  it("is something to decide, though nothing is read or written", async () => {
    const space = await FakeSpace.open();
    const result = await coordinatorOn(space).run({ agent: "a" }, (tx) => tx.defer("notify", 1));
    expect(result).toMatchObject({ outcome: "committed", version: { partition: 0, offset: 1 } });
  });

  it("needs the partition to be known where there are several", async () => {
    const space = await FakeSpace.open({ partitions: 4 });
    const coordinator = coordinatorOn(space);
    const run = coordinator.run({ agent: "a" }, (tx) => tx.defer("notify", 1));
    await expect(run).rejects.toThrow(/touched no key yet.*give run a partitionKey/);
    const named = await coordinator.run({ agent: "a", partitionKey: "policy" }, (tx) => tx.defer("notify", 1));
    expect(named).toMatchObject({ outcome: "committed" });
  });

  it("begins anew with each attempt", async () => {
    const space = await FakeSpace.open();
    const sent = submitsOf(space);
    const coordinator = coordinatorOn(space);
    await coordinator.run({ agent: "a" }, async (tx) => {
      await tx.get("a/x");
      tx.defer("notify", tx.attempt);
      if (tx.attempt === 1) await coordinator.run({ agent: "b" }, (other) => other.put("a/x", 1));
    });
    expect(sent.filter(({ agent }) => agent === "a").map(({ effects }) => effects.map(legible))).toEqual([
      [["notify", "default", "1"]],
      [["notify", "default", "2"]],
    ]);
  });

  it("cannot be used after the function has ended", async () => {
    let kept: Transaction | undefined;
    await coordinatorOn(await FakeSpace.open()).run({ agent: "a" }, (tx) => void (kept = tx));
    expect(() => kept?.defer("notify", 1)).toThrow(/the transaction has ended/);
  });
});

describe("what cannot be deferred is refused at the call, with the remedy", () => {
  it.each<[string, Partial<Limits>, (tx: Transaction) => unknown, RegExp]>([
    ["no name", {}, (tx) => tx.defer("", 1), /the name of an effect is ""; it is a text/],
    ["a name that is no text", {}, (tx) => tx.defer(7 as never, 1), /the name of an effect is 7; it is a text/],
    ["no lane", {}, (tx) => tx.defer("pay", 1, { lane: "" }), /the lane of effect "pay" is ""/],
    ["a long lane", { nameBytes: 16 }, (tx) => tx.defer("pay", 1, { lane: "é".repeat(9) }), /18 bytes .*\(nameBytes\)/],
    ["no arguments", {}, (tx) => tx.defer("pay", undefined), /the arguments of "pay" are undefined.*give null/],
    ["a Date", {}, (tx) => tx.defer("pay", { at: new Date() }), /the arguments of "pay"\.at is an instance of Date/],
    ["raw bytes", {}, (tx) => tx.defer("pay", new Uint8Array(1)), /an instance of Uint8Array.*base64/],
    [
      "large arguments",
      { effectBytes: 5 },
      (tx) => tx.defer("pay", "1234"),
      /the arguments of "pay" are 6 bytes .* at most 5 .*\(effectBytes\).*reference/,
    ],
    [
      "too many",
      { effects: 1 },
      (tx) => [tx.defer("pay", 1), tx.defer("pay", 2)],
      /has deferred 1 effects, .*\(effects\); defer one effect that does several/,
    ],
  ])("%s", async (_, limits, fn, message) => {
    const space = await FakeSpace.open({ limits });
    space.onAppend = () => expect.unreachable();
    const run = coordinatorOn(space).run({ agent: "a" }, async (tx) => void (await fn(tx)));
    await expect(run).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringMatching(message) as string,
    });
  });
});
