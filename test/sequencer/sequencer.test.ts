import { createCodec, Failure, linkOf, sha256, toKey, type Bytes, type Verdict } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { applied, failing, lossy, SimulatedSpace } from "../support/simulated-space.ts";
import { temporaryFile } from "../support/temporary.ts";

const value = Buffer.from("1");

function put(space: SimulatedSpace, id: string, key: string, snapshot = 0): Uint8Array {
  return space.submit({ id, snapshot, writes: [{ key: toKey(key), value, blind: false }] });
}

async function verdictsOf(space: SimulatedSpace, partition = 0): Promise<Verdict[]> {
  const { end } = await space.verdicts.bounds(partition);
  const stop = new AbortController();
  const found: Verdict[] = [];
  for await (const { records } of space.verdicts.read(new Map([[partition, 0]]), { signal: stop.signal })) {
    for (const { value: bytes } of records) found.push(space.codec.decodeVerdict(bytes) as Verdict);
    if ((records.at(-1)?.offset ?? 0) + 1 >= end) stop.abort();
  }
  return found;
}

/** What a reader that applies only linked verdicts gets (invariant 3). */
function chainOf(verdicts: readonly Verdict[]): Verdict[] {
  const chain: Verdict[] = [];
  for (const verdict of verdicts) {
    const position = chain.at(-1) ?? { offset: -1, chain: "\0".repeat(32) as Bytes };
    if (linkOf(position, verdict) === "next") chain.push(verdict);
  }
  return chain;
}

describe("a sequencer", () => {
  it("gives every record one verdict, in order, linked (invariant 3)", async () => {
    const space = await SimulatedSpace.create();
    const member = await space.start();
    await space.append(put(space, "one", "a/x"));
    await space.append(Buffer.from("not a record"));
    const last = await space.append(put(space, "two", "a/x"));
    await applied(member, last);
    const verdicts = await verdictsOf(space);
    expect(verdicts.map(({ offset, outcome }) => [offset, outcome.kind])).toEqual([
      [0, "genesis"],
      [1, "committed"],
      [2, "refused"],
      [3, "refused"],
    ]);
    expect(chainOf(verdicts)).toEqual(verdicts);
    expect(member.view.position(0).chain).toBe(verdicts.at(-1)?.chain);
  });

  it("decides each partition in its own order", async () => {
    const space = await SimulatedSpace.create({ partitions: 3 });
    const member = await space.start();
    for (const partition of [0, 1, 2]) {
      const last = await space.append(space.submit({ id: `in ${partition}`, partition }), partition);
      await applied(member, last, partition);
      expect(member.view.decisionOf(`in ${partition}`)).toMatchObject({ partition, outcome: { kind: "committed" } });
    }
  });

  it("goes on after an intent that nobody can read, also when started again (case 15)", async () => {
    const space = await SimulatedSpace.create();
    const path = temporaryFile();
    const before = await space.start({ path });
    await applied(before, await space.append(Buffer.from([0xc3, 0x01, 1, 2, 3])));
    await before.stop();
    const after = await space.start({ path });
    await applied(after, await space.append(put(space, "next", "a/x")));
    expect(after.view.decision(0, 1)).toMatchObject({
      outcome: { kind: "refused", code: "invalid", reason: "not_a_record" },
    });
    expect(after.view.decisionOf("next")).toMatchObject({ outcome: { kind: "committed" } });
    expect(await verdictsOf(space)).toHaveLength(3);
  });

  it("starts from its view and decides as if it had never stopped", async () => {
    const space = await SimulatedSpace.create();
    const path = temporaryFile();
    const before = await space.start({ path });
    await applied(before, await space.append(put(space, "one", "a/x")));
    await before.stop();
    const after = await space.start({ path });
    await applied(after, await space.append(put(space, "two", "a/x")));
    expect(after.view.decisionOf("two")?.outcome).toMatchObject({
      code: "conflict",
      conflicts: [{ kind: "write", key: "a/x", version: 1 }],
    });
  });

  it("refuses too_large what its verdict could not hold, and lives (case 35)", async () => {
    const small = { conflicts: 1, keyBytes: 64, nameBytes: 64, effectBytes: 1_024 };
    const limits = { ...small, verdictBytes: 2_048, recordBytes: 4_096 };
    const space = await SimulatedSpace.create({ limits });
    const [one, two] = [await space.start(), await space.start()];
    const large = { key: toKey("a/x"), value: Buffer.alloc(3_000), blind: false };
    await space.append(space.submit({ id: "large", writes: [large] }));
    const last = await space.append(put(space, "small", "a/x"));
    for (const member of [one, two]) {
      await applied(member, last);
      expect(member.view.decisionOf("large")?.outcome).toMatchObject({ kind: "refused", code: "too_large" });
      expect(member.view.decisionOf("small")?.outcome).toMatchObject({ kind: "committed" });
    }
  });
});

describe("two sequencers on one partition (invariant 4)", () => {
  it("write one history, whichever sends", async () => {
    const space = await SimulatedSpace.create();
    const unhurried = { stallAfter: 60_000 };
    const members = [await space.start(unhurried), await space.start(unhurried)];
    for (const member of members) await applied(member, 0);
    let last = 0;
    for (let index = 0; index < 200; index += 1)
      last = await space.append(put(space, `i${index}`, `a/${index % 7}`, Math.max(0, last - 3)));
    for (const member of members) await applied(member, last);
    const [one, two] = members;
    expect(one?.view.position(0).chain).toBe(two?.view.position(0).chain);
    const chain = chainOf(await verdictsOf(space));
    expect(chain.map(({ offset }) => offset)).toEqual(Array.from({ length: 201 }, (_, offset) => offset));
    expect(members.filter(({ sequencer }) => sequencer.status()[0]?.leading)).toHaveLength(1);
  });

  it("go on when the one that leads is gone", async () => {
    const space = await SimulatedSpace.create();
    const members = [await space.start(), await space.start()];
    for (const member of members)
      await applied(member, await space.append(put(space, `warm ${members.indexOf(member)}`, "a/x")));
    const leading = members.find(({ sequencer }) => sequencer.status()[0]?.leading);
    const following = members.find((member) => member !== leading);
    if (leading === undefined || following === undefined) throw new Error("one leads and one follows");
    await leading.stop();
    await applied(following, await space.append(put(space, "after", "a/y")));
    expect(following.sequencer.status()[0]).toMatchObject({ leading: true });
  });

  it("one that diverged stops before it sends another verdict, and nobody follows it", async () => {
    const space = await SimulatedSpace.create();
    const sound = await space.start();
    await applied(sound, 0);
    const limits = { ...space.genesis.limits, writes: 0 };
    const codec = createCodec({ ...space.genesis, limits }, sha256);
    const diverged = await space.start({ codec });
    const last = await space.append(put(space, "one", "a/x"));
    await expect(diverged.running).rejects.toThrow(/diverged in partition 0: .* offset 1/);
    await applied(sound, last);
    expect(sound.view.decisionOf("one")?.outcome).toMatchObject({ kind: "committed" });
  });
});

describe("a verdicts log that lost records", () => {
  it("heals: the sequencer sends again from the head, and all go on (case 33)", async () => {
    const space = await SimulatedSpace.create();
    let lost = 0;
    const verdicts = lossy(space.verdicts, (bytes) => space.codec.decodeVerdict(bytes)?.offset === 2 && ++lost === 1);
    const member = await space.start({ verdicts });
    for (const id of ["one", "two", "three"]) await space.append(put(space, id, `a/${id}`));
    await applied(member, 3);
    expect(lost).toBeGreaterThanOrEqual(2);
    expect(member.sequencer.status()[0]?.stalls).toBeGreaterThan(0);
    const other = await space.start();
    await applied(other, 3);
    expect(other.view.position(0).chain).toBe(member.view.position(0).chain);
  });
});

describe("a verdicts log that takes nothing", () => {
  it("for a while: the sequencer says why, and goes on", async () => {
    const space = await SimulatedSpace.create();
    let failure: Failure | undefined = new Failure("unavailable", "too few replicas", { canRetry: true });
    const member = await space.start({ verdicts: failing(space.verdicts, () => failure) });
    await expect.poll(() => member.sequencer.status()).toMatchObject([{ obstacle: "too few replicas" }]);
    failure = undefined;
    await applied(member, await space.append(put(space, "one", "a/x")));
    expect(member.sequencer.status()).toMatchObject([{ obstacle: undefined }]);
  });

  it("and never will: the sequencer stops", async () => {
    const space = await SimulatedSpace.create();
    const failure = new Failure("unavailable", "it may not write", { canRetry: false });
    const member = await space.start({ verdicts: failing(space.verdicts, () => failure) });
    await expect(member.running).rejects.toBe(failure);
  });
});

describe("a log that is not the one it was", () => {
  it("recreated: a sequencer with the old view refuses to start (case 39)", async () => {
    const space = await SimulatedSpace.create();
    const path = temporaryFile();
    const member = await space.start({ path });
    await applied(member, await space.append(put(space, "one", "a/x")));
    await member.stop();
    space.intents.records.recreate();
    await expect(space.start({ path })).rejects.toMatchObject({ code: "log_changed" });
  });

  it("cut and grown past the offset again: refused too (case 39)", async () => {
    const space = await SimulatedSpace.create();
    const path = temporaryFile();
    const member = await space.start({ path });
    await applied(member, await space.append(put(space, "one", "a/x")));
    await member.stop();
    space.intents.records.truncate(0, 1);
    for (const id of ["other", "another"]) await space.append(put(space, id, "a/x"));
    await expect(space.start({ path })).rejects.toMatchObject({
      code: "log_changed",
      message: expect.stringContaining("another record stands at offset 1"),
    });
  });
});
