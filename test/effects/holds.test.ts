/* Holds whose intents commit, are given up, expire or are forgotten, and what becomes of their inverses. */
import { idempotencyKey, type CallContext, type HandlerDefinition } from "@seriatim/effects";
import { EffectsReading } from "@seriatim/effects-worker";
import { SqliteFile } from "@seriatim/log";
import { sha256 } from "@seriatim/protocol";
import { expect, it } from "vitest";
import { describeSpaces, type Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { HoldingAgent } from "./holding-agent.ts";
import { startWorker } from "./workers.ts";

const patient = { timeout: 20_000 };

interface Call {
  readonly args: unknown;
  readonly context: CallContext;
}

function recorder(calls: Call[], more: Partial<HandlerDefinition> = {}): HandlerDefinition {
  return { call: (given, context) => void calls.push({ args: given, context }), voids: true, ...more };
}

/** The states of all inverses. */
async function undosOf({ space }: Participant): Promise<string[]> {
  const file = SqliteFile.open(temporaryFile("reading.db"));
  const { verdicts, effects, codec } = space;
  const { signal } = new AbortController();
  const reading = await EffectsReading.open({ verdicts, effects, codec, file, hash: sha256, signal });
  const states = [...reading.rows({ all: true })]
    .filter(({ side }) => side === "undo")
    .map((row) => row.progress.state);
  file.close();
  return states;
}

await describeSpaces("a hold", (make) => {
  it("whose intent is given up is undone once, with what is known of the call", async () => {
    const participant = await (await make()).join();
    const agent = new HoldingAgent(participant);
    const calls: Call[] = [];
    await startWorker(participant.space, { release: recorder(calls) });
    const held = await agent.hold();
    await agent.report(held, { kind: "done", result: Buffer.from('{"reservation":7}') });
    await agent.cancel(held);
    await expect.poll(() => undosOf(participant), patient).toEqual(["done"]);
    expect(calls).toHaveLength(1);
    const { space } = participant.space.genesis;
    const key = (side: "forward" | "undo"): string => idempotencyKey({ space, ...held, index: 0, side });
    expect(calls[0]?.args).toEqual({ seat: 4 });
    expect(calls[0]?.context).toMatchObject({
      key: key("undo"),
      side: "undo",
      intent: held.id,
      forward: { key: key("forward"), outcome: "done", result: { reservation: 7 } },
    });
  });

  it("that is confirmed stays, and one that the commit does not name is undone", async () => {
    const participant = await (await make()).join();
    const agent = new HoldingAgent(participant);
    const calls: Call[] = [];
    await startWorker(participant.space, { release: recorder(calls) });
    const [kept, left] = [await agent.hold(), await agent.hold()];
    await agent.commit(kept, [kept.offset]);
    await agent.commit(left, []);
    await expect.poll(() => undosOf(participant), patient).toEqual(["done"]);
    expect(calls.map(({ context }) => context.offset)).toEqual([left.offset]);
  });

  it("is not undone when its call has surely not happened, or nothing undoes it", async () => {
    const participant = await (await make()).join();
    const agent = new HoldingAgent(participant);
    const calls: Call[] = [];
    await startWorker(participant.space, { release: recorder(calls) });
    const [failed, forced, last] = [await agent.hold(), await agent.hold({ undo: null }), await agent.hold()];
    await agent.report(failed, { kind: "failed", error: "no such seat" });
    for (const held of [failed, forced, last]) await agent.cancel(held);
    await expect.poll(() => calls.map(({ context }) => context.offset), patient).toEqual([last.offset]);
    await expect.poll(() => undosOf(participant), patient).toEqual(["pending", "done"]);
  });

  it("whose agent is gone is expired by a worker, and undone", async () => {
    const participant = await (await make()).join();
    const agent = new HoldingAgent(participant);
    const calls: Call[] = [];
    const [one, other] = [await agent.hold({ lease: 300 }), await agent.hold({ lease: 300 })];
    await startWorker(participant.space, { release: recorder(calls) });
    await startWorker(participant.space, { release: recorder(calls) });
    await expect.poll(() => undosOf(participant), patient).toEqual(["done", "done"]);
    expect(calls.map(({ context }) => context.offset).toSorted((a, b) => a - b)).toEqual([one.offset, other.offset]);
    const { view } = participant.space;
    expect(view.decisionOf(one.id, one.partition)?.outcome.kind).toBe("expired");
  });

  it("is undone when its intent can no longer commit, for the log has gone on", async () => {
    const participant = await (await make({ window: 8 })).join();
    const agent = new HoldingAgent(participant);
    const calls: Call[] = [];
    await startWorker(participant.space, { release: recorder(calls) });
    const held = await agent.hold();
    for (let n = 0; n < 12; n += 1)
      await participant.coordinator.run({ agent: "other", partitionKey: "seats" }, (tx) => tx.put("seats/other", n));
    await expect.poll(() => calls.map(({ context }) => context.offset), patient).toEqual([held.offset]);
    await agent.commit(held, [held.offset]);
    await expect.poll(() => undosOf(participant), patient).toEqual(["done"]);
  });

  it.each([
    ["the receiver voids the call that comes after it", { voids: true }, "done"],
    ["nobody can say whether the call still comes", { voids: false }, "unknown"],
    ["the receiver confirms it", { voids: false, reconcile: () => ({ state: "done" as const }) }, "done"],
    ["the receiver does not know", { voids: false, reconcile: () => ({ state: "unknown" as const }) }, "unknown"],
  ])("that may still arrive: its inverse, where %s", async (_, more, state) => {
    const participant = await (await make()).join();
    const agent = new HoldingAgent(participant);
    const calls: Call[] = [];
    const held = await agent.hold();
    await agent.cancel(held);
    await startWorker(participant.space, { release: recorder(calls, more) });
    await expect.poll(() => undosOf(participant), patient).toEqual([state]);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.context.forward).toMatchObject({ outcome: "unknown", result: null });
  });

  it("is undone by whoever reads it later, from the log alone", async () => {
    const participant = await (await make()).join();
    const agent = new HoldingAgent(participant);
    const path = temporaryFile("shared.db");
    const blind = await startWorker(participant.space, { other: recorder([]) }, { path });
    const [one, two] = [await agent.hold(), await agent.hold()];
    await agent.cancel(one);
    await expect.poll(() => undosOf(participant), patient).toEqual(["pending"]);
    await blind.stop();
    const calls: Call[] = [];
    await startWorker(participant.space, { release: recorder(calls) }, { path });
    await agent.cancel(two);
    await expect.poll(() => undosOf(participant), patient).toEqual(["done", "done"]);
    expect(calls.map(({ context }) => context.offset).toSorted((a, b) => a - b)).toEqual([one.offset, two.offset]);
  });
});
