import { defineHandlers } from "@seriatim/effects";
import { createEffectsCodec, type EffectRecord } from "@seriatim/protocol";
import { expect, it } from "vitest";
import { gate } from "../client/fake-space.ts";
import { appliedVerdicts } from "../support/applied.ts";
import { describeSpaces, type Participant } from "../support/spaces.ts";

const handlers = defineHandlers({
  reserve: { call: () => ({ reservation: 7 }), timeout: 500 },
  release: { call: () => undefined },
});
const partitionKey = "seats";

/** The records of the effects log of a partition, without its genesis. */
async function effectRecords({ space }: Participant, partition: number): Promise<EffectRecord[]> {
  const { end } = await space.effects.bounds(partition);
  const codec = createEffectsCodec(space.genesis);
  const found: EffectRecord[] = [];
  const stop = new AbortController();
  for await (const { records } of space.effects.read(new Map([[partition, 0]]), { signal: stop.signal })) {
    for (const { offset, value } of records) {
      const record = codec.decode(value);
      if (record !== undefined) found.push(record);
      if (offset >= end - 1) stop.abort();
    }
  }
  return found;
}

await describeSpaces("a call that is held", (make) => {
  it("and confirmed stands in three logs: the hold, its commit, and what came of the call", async () => {
    const agent = await (await make()).join({ handlers });
    const result = await agent.coordinator.run({ agent: "a", id: "trip", partitionKey }, async (tx) => {
      const made = await tx.compensable("reserve", { seat: 4 }, { undo: "release" });
      tx.put("seats/4", "taken");
      return made;
    });
    if (result.outcome === "refused" || result.version === undefined) throw new Error("it commits");
    const { partition, offset } = result.version;
    const verdicts = await appliedVerdicts(agent.space, partition, offset);
    const [held, committed] = verdicts.slice(-2);
    expect(held?.outcome).toMatchObject({ kind: "held", name: "reserve", undo: "release", timeout: 500 });
    expect(committed?.outcome).toMatchObject({ kind: "committed", holds: [held?.offset] });
    expect(await effectRecords(agent, partition)).toMatchObject([
      { kind: "report", effect: { offset: held?.offset, side: "forward" }, claim: null, result: { kind: "done" } },
    ]);
  });

  it("by an agent that is gone leaves what is needed to undo it, and its id to whoever expires it", async () => {
    const space = await make();
    const [agent, next] = [await space.join({ handlers }), await space.join({ handlers })];
    const lease = 1_000;
    const called = gate();
    const dead = agent.coordinator.run({ agent: "dead", id: "trip", partitionKey }, async (tx) => {
      await tx.compensable("reserve", { seat: 4 }, { undo: "release", lease });
      called.open();
      await new Promise(() => undefined);
    });
    dead.catch(() => undefined);
    await called.opened;
    const result = await next.coordinator.run({ agent: "next", id: "trip", partitionKey }, (tx) =>
      tx.compensable("reserve", { seat: 4 }, { undo: "release", lease }),
    );
    if (result.outcome === "refused" || result.version === undefined) throw new Error("it commits");
    expect(result).toMatchObject({ intent: "run/trip/2", value: { reservation: 7 } });
    const { partition, offset } = result.version;
    const verdicts = await appliedVerdicts(next.space, partition, offset);
    const held = verdicts.find(({ id, outcome }) => id === "run/trip/1" && outcome.kind === "held");
    const expired = verdicts.find(({ outcome }) => outcome.kind === "expired");
    if (held?.outcome.kind !== "held" || expired === undefined) throw new Error("it was held, and expired");
    expect(expired).toMatchObject({ id: "run/trip/1" });
    expect(expired.time).toBeGreaterThanOrEqual(held.time + lease);
    expect(Buffer.from(held.outcome.arguments).toString()).toBe('{"seat":4}');
    const reports = await effectRecords(next, partition);
    expect(reports.map(({ effect }) => effect.offset)).toContain(held.offset);
  });
});
