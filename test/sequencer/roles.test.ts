import { describe, expect, it } from "vitest";
import { applied, SimulatedSpace, type Member } from "../support/simulated-space.ts";

/** Who sent each verdict of partition 0, by the name in the headers of each append's first. */
async function senders(space: SimulatedSpace): Promise<string[]> {
  const { end } = await space.verdicts.bounds(0);
  const stop = new AbortController();
  const found: string[] = [];
  for await (const { records } of space.verdicts.read(new Map([[0, 0]]), { signal: stop.signal })) {
    for (const { headers } of records) found.push(headers["sequencer"] ?? found.at(-1) ?? "");
    if ((records.at(-1)?.offset ?? 0) + 1 >= end) stop.abort();
  }
  return found;
}

const all: ReadonlySet<number> = new Set([0]);
const none: ReadonlySet<number> = new Set();

async function decided(space: SimulatedSpace, id: string, members: readonly Member[]): Promise<number> {
  const offset = await space.append(space.submit({ id }));
  for (const member of members) await applied(member, offset);
  return offset;
}

/** Gives the members work until they lead, or do not, as expected. */
async function untilLeading(space: SimulatedSpace, members: readonly Member[], expected: boolean[]): Promise<void> {
  for (let n = 0; members.map(isLeading).join() !== expected.join(); n += 1) await decided(space, `work ${n}`, members);
}

function isLeading({ sequencer }: Member): boolean | undefined {
  return sequencer.status()[0]?.leading;
}

describe("where partitions are shared out", () => {
  it("the assigned sequencer decides alone and its standby sends nothing", async () => {
    const space = await SimulatedSpace.create();
    const patient = { stallAfter: 60_000 };
    const leader = await space.start({ name: "leader", assigned: all, ...patient });
    const standby = await space.start({ name: "standby", assigned: none, ...patient });
    for (const id of ["one", "two", "three"]) await decided(space, id, [leader, standby]);
    expect(await senders(space)).toEqual(["leader", "leader", "leader", "leader"]);
    expect([isLeading(leader), isLeading(standby)]).toEqual([true, false]);
  });

  it("a standby steps in when the assigned sequencer is gone, and yields to the next one (invariant 4)", async () => {
    const space = await SimulatedSpace.create();
    const leader = await space.start({ name: "leader", assigned: all });
    const standby = await space.start({ name: "standby", assigned: none });
    await decided(space, "one", [leader, standby]);
    await leader.stop();
    await decided(space, "two", [standby]);
    expect(isLeading(standby)).toBe(true);
    const next = await space.start({ name: "next", assigned: all, stallAfter: 60_000 });
    await untilLeading(space, [standby, next], [false, true]);
    await decided(space, "last", [standby, next]);
    expect((await senders(space)).at(-1)).toBe("next");
  });

  it("a partition that moves is decided all the while", async () => {
    const space = await SimulatedSpace.create();
    const patient = { stallAfter: 60_000 };
    const from = await space.start({ name: "from", assigned: all, ...patient });
    const to = await space.start({ name: "to", assigned: none, ...patient });
    await decided(space, "one", [from, to]);
    from.sequencer.assign(none);
    // Nobody is assigned yet: the one that was goes on.
    await decided(space, "two", [from, to]);
    expect(isLeading(from)).toBe(true);
    to.sequencer.assign(all);
    await untilLeading(space, [from, to], [false, true]);
    await decided(space, "last", [from, to]);
    expect((await senders(space)).at(-1)).toBe("to");
  });

  it("two that both take a partition for theirs write the same verdicts, and readers take the first", async () => {
    const space = await SimulatedSpace.create();
    const one = await space.start({ name: "one", assigned: all });
    const two = await space.start({ name: "two", assigned: all });
    await decided(space, "a", [one, two]);
    const last = await decided(space, "b", [one, two]);
    await untilLeading(space, [one, two], [true, true]);
    const { offset, chain } = two.view.position(0);
    expect(one.view.position(0)).toMatchObject({ offset, chain });
    expect(one.view.decision(0, last)?.outcome.kind).toBe("committed");
  });
});
