/*
 * What went wrong for others (docs/cases.md), as tests. Each small scenario runs on an embedded file and on a real Kafka, with
 * participants that share nothing but the log. Races go by barrier: everyone reads, then everyone commits.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { attemptId, type RunResult, type Transaction } from "@seriatim/client";
import { prefixRange, toKey, type Limits } from "@seriatim/protocol";
import { expect, it } from "vitest";
import { appliedVerdicts } from "../support/applied.ts";
import { Barrier, describeSpaces, type MakeSpace, type Participant } from "../support/spaces.ts";

const run = promisify(execFile);
const child = fileURLToPath(new URL("child.mjs", import.meta.url));

function count(results: readonly RunResult<unknown>[], outcome: RunResult<unknown>["outcome"]): number {
  return results.filter((result) => result.outcome === outcome).length;
}

const book = async ({ coordinator }: Participant): Promise<RunResult<unknown>> =>
  coordinator.run({ agent: "booker", id: "trip 9", partitionKey: "trips", attempts: 20 }, async (tx) => {
    const booked = (await tx.get<number>("trips/booked")) ?? 0;
    tx.put("trips/booked", booked + 1);
    return booked + 1;
  });

/** `body` in one transaction of each of `agents` agents; all have read before any commits. One attempt each. */
async function race(
  participants: readonly Participant[],
  agents: number,
  body: (tx: Transaction, agent: number) => Promise<unknown>,
): Promise<RunResult<unknown>[]> {
  const barrier = new Barrier(agents);
  const one = async (agent: number): Promise<RunResult<unknown>> => {
    const { coordinator } = participants[agent % participants.length] as Participant;
    return coordinator.run({ agent: `agent ${agent}`, attempts: 1 }, async (tx) => {
      const value = await body(tx, agent);
      await barrier.arrive();
      return value;
    });
  };
  return Promise.all(Array.from({ length: agents }, (_, agent) => one(agent)));
}

await describeSpaces("case", (make: MakeSpace) => {
  const pair = async (limits?: Partial<Limits>): Promise<[Participant, Participant]> => {
    const space = await make(limits);
    return [await space.join(), await space.join()];
  };

  it("1: twenty calls at once on one entity each get a verdict, and the entity holds all that committed", async () => {
    const [{ coordinator }] = await pair();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        coordinator.run({ agent: "assistant", attempts: 100 }, async (tx) => {
          const notes = (await tx.get<number[]>("memory/ada")) ?? [];
          tx.put("memory/ada", [...notes, index]);
        }),
      ),
    );
    expect(count(results, "committed")).toBe(20);
    const notes = await coordinator.get<number[]>("memory/ada");
    expect(notes?.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it("2: two processes lose none of each other's writes", async () => {
    const space = await make();
    const outputs = await Promise.all(
      ["left", "right"].map((prefix) => run(process.execPath, [child, prefix, "20", ...space.flags])),
    );
    expect(outputs.map(({ stdout }) => stdout.trim())).toEqual(["20", "20"]);
    const { coordinator, space: opened } = await space.join();
    for (const partition of coordinator.positions().keys()) {
      const { end } = await opened.intents.bounds(partition);
      await opened.reached({ partition, offset: end - 1 });
    }
    expect(await coordinator.scan({ prefix: "entries/" })).toHaveLength(40);
  });

  it("4: what was consolidated from an old snapshot is refused, naming who wrote since", async () => {
    const [slow, quick] = await pair();
    const read = new Barrier(2);
    const written = new Barrier(2);
    const consolidation = slow.coordinator.run({ agent: "consolidator", attempts: 1 }, async (tx) => {
      const memories = await tx.scan({ prefix: "memory/" });
      await read.arrive();
      await written.arrive();
      tx.put("memory/summary", memories.length);
    });
    await read.arrive();
    const result = await quick.coordinator.run({ agent: "note taker" }, (tx) => tx.put("memory/new", "a fact"));
    if (result.outcome === "committed" && result.version) await slow.space.reached(result.version);
    await written.arrive();
    expect(await consolidation).toMatchObject({
      outcome: "refused",
      refusal: { code: "conflict", conflicts: [{ kind: "range", key: "memory/new", agent: "note taker" }] },
    });
    expect(await quick.coordinator.get("memory/summary")).toBeUndefined();
  });

  it("7: eight agents claim one task: one has it, seven are told who", async () => {
    const participants = await pair();
    const results = await race(participants, 8, async (tx) => {
      if ((await tx.get("tasks/17/owner")) === undefined) tx.put("tasks/17/owner", tx.agent);
    });
    expect([count(results, "committed"), count(results, "refused")]).toEqual([1, 7]);
    const owner = await participants[0].coordinator.get<string>("tasks/17/owner", { minVersion: committedAt(results) });
    for (const result of results) {
      if (result.outcome === "committed") continue;
      expect(result.refusal.conflicts).toMatchObject([{ key: "tasks/17/owner", agent: owner, value: owner }]);
      expect(result.refusal.message).toContain(`"${owner}"`);
    }
  });

  it.each([2, 8])("8: a claim raced by %i has one winner, each round", async (agents) => {
    const participants = await pair();
    for (let round = 0; round < 10; round += 1) {
      const results = await race(participants, agents, async (tx, agent) => {
        if ((await tx.get(`claims/${round}`)) === undefined) tx.put(`claims/${round}`, agent);
      });
      expect(count(results, "committed")).toBe(1);
    }
  });

  it("9: nobody takes the task that another has just taken", async () => {
    const participants = await pair();
    const [{ coordinator, space }] = participants;
    const open = await coordinator.run({ agent: "planner" }, (tx) => {
      for (const task of ["a", "b", "c"]) tx.put(`tasks/open/${task}`, task);
    });
    if (open.outcome !== "committed" || open.version === undefined) throw new Error("not planned");
    await Promise.all(participants.map((participant) => participant.space.reached(committedAt([open]))));
    const results = await race(participants, 2, async (tx) => {
      const [next] = await tx.scan<string>({ prefix: "tasks/open/" }, { limit: 1 });
      if (next === undefined) return;
      tx.delete(next.key);
      tx.put(`tasks/taken/${next.value}`, tx.agent);
    });
    expect([count(results, "committed"), count(results, "refused")]).toEqual([1, 1]);
    const refused = results.find((result) => result.outcome === "refused");
    expect(refused).toMatchObject({ refusal: { advice: "read_again" } });
    await space.reached(committedAt(results));
    expect(await coordinator.scan({ prefix: "tasks/taken/" })).toHaveLength(1);
  });

  it("11: a put of a key never read, changed since, is refused; only blind does it commit", async () => {
    const [first, second] = await pair();
    const write = async (blind: boolean): Promise<RunResult<unknown>> => {
      const begun = new Barrier(2);
      const overwritten = new Barrier(2);
      const whole = first.coordinator.run({ agent: "whole file", attempts: 1 }, async (tx) => {
        await tx.get("files/other");
        await begun.arrive();
        await overwritten.arrive();
        tx.put("files/readme", "stale", { blind });
      });
      await begun.arrive();
      await second.coordinator.run({ agent: "editor" }, (tx) =>
        tx.put("files/readme", `edited ${blind}`, { blind: true }),
      );
      await overwritten.arrive();
      return whole;
    };
    expect(await write(false)).toMatchObject({
      outcome: "refused",
      refusal: { conflicts: [{ kind: "write", key: "files/readme", agent: "editor", yours: "unread" }] },
    });
    expect(await write(true)).toMatchObject({ outcome: "committed" });
  });

  it("12: a refusal names the agent, the key, the version, what it holds now, and what to do", async () => {
    const [first, second] = await pair();
    await first.coordinator.run({ agent: "setup" }, (tx) => tx.put("policy/budget", 80));
    const begun = new Barrier(2);
    const spent = new Barrier(2);
    const losing = first.coordinator.run({ agent: "approver", attempts: 1 }, async (tx) => {
      await tx.get("policy/budget");
      await begun.arrive();
      await spent.arrive();
      tx.put("policy/approval", "granted");
    });
    await begun.arrive();
    await second.coordinator.run({ agent: "planner" }, async (tx) => {
      tx.put("policy/budget", 30, { blind: true });
    });
    await spent.arrive();
    const result = await losing;
    if (result.outcome === "committed") throw new Error("must be refused");
    const [conflict] = result.refusal.conflicts;
    expect(conflict).toMatchObject({ key: "policy/budget", agent: "planner", value: 30, deleted: false });
    const { partition, offset } = conflict?.version ?? {};
    for (const part of ["policy/budget", "planner", `${partition}@${offset}`, "30", "Read"])
      expect(result.refusal.message).toContain(part);
  });

  it("15: after a record that nobody can read, the partition goes on", async () => {
    const space = await make();
    const { coordinator, space: opened } = await space.join();
    for (const partition of coordinator.positions().keys())
      await opened.intents.append(partition, [{ value: Buffer.from('{"step":"invalid"}') }]);
    expect(await coordinator.run({ agent: "a" }, (tx) => tx.put("a/x", 1))).toMatchObject({ outcome: "committed" });
    const again = await space.join();
    expect(await again.coordinator.run({ agent: "b" }, (tx) => tx.put("a/y", 2))).toMatchObject({
      outcome: "committed",
    });
  });

  it("16: eight append conditions on one tag: one commits", async () => {
    const participants = await pair();
    const results = await race(participants, 8, async (tx, agent) => {
      if ((await tx.count({ prefix: "tag/" })) === 0) tx.put(`tag/${agent}`, agent);
    });
    expect(count(results, "committed")).toBe(1);
  });

  it("17: a write without any read into a range that another has read refuses that other", async () => {
    const [reader, writer] = await pair();
    const begun = new Barrier(2);
    const inserted = new Barrier(2);
    const reading = reader.coordinator.run({ agent: "reader", attempts: 1 }, async (tx) => {
      await tx.scan({ from: "tag/a", to: "tag/m" });
      await begun.arrive();
      await inserted.arrive();
      tx.put("tag/z", 1);
    });
    await begun.arrive();
    await writer.coordinator.run({ agent: "writer" }, (tx) => tx.put("tag/b", 1, { blind: true }));
    await inserted.arrive();
    expect(await reading).toMatchObject({
      outcome: "refused",
      refusal: { conflicts: [{ kind: "range", key: "tag/b" }] },
    });
  });

  it("22, 27: the same intent five times in the log: one commit with its effect, and four verdicts that say so", async () => {
    const [{ coordinator, space }] = await pair();
    const key = toKey("orders/1");
    const intent = {
      agent: "task",
      id: "order 1",
      snapshot: 0,
      writes: [{ key, value: Buffer.from("1"), blind: false }],
      effects: [{ name: "pay", lane: "default", arguments: Buffer.from("50") }],
    };
    const first = await coordinator.submit(intent);
    if (first.outcome === "refused") throw new Error("the first commits");
    for (let again = 0; again < 4; again += 1)
      expect(await coordinator.submit(intent)).toMatchObject({
        outcome: "committed",
        version: first.version,
        repeated: true,
      });
    const record = await recordAt(space, first.version);
    for (let again = 0; again < 4; again += 1) await space.append(first.version.partition, record);
    const { end } = await space.intents.bounds(first.version.partition);
    await space.reached({ partition: first.version.partition, offset: end - 1 });
    expect(space.view.history(key)).toHaveLength(1);
    for (let offset = end - 4; offset < end; offset += 1) {
      const outcome = space.view.decision(first.version.partition, offset)?.outcome;
      expect(outcome).toEqual({ kind: "repeated", first: first.version.offset });
    }
    const verdicts = await appliedVerdicts(space, first.version.partition, end - 1);
    const effects = verdicts.flatMap(({ outcome }) => (outcome.kind === "committed" ? outcome.effects : []));
    expect(effects.map(({ name }) => name)).toEqual(["pay"]);
  });

  it("41: another participant sees my write from my version on, or says in time that it does not yet", async () => {
    const [mine, other] = await pair();
    const result = await mine.coordinator.run({ agent: "me" }, (tx) => tx.put("a/x", "mine"));
    const minVersion = committedAt([result]);
    expect(await other.coordinator.get("a/x", { minVersion })).toBe("mine");
    await expect(
      other.space.reached({ ...minVersion, offset: minVersion.offset + 1_000 }, { timeout: 5 }),
    ).rejects.toMatchObject({ code: "not_yet", message: expect.stringContaining(`@${minVersion.offset + 1_000}`) });
  });

  it("44: what always conflicts ends after the attempts asked for, with the last conflict whole", async () => {
    const [losing, winning] = await pair();
    let calls = 0;
    const result = await losing.coordinator.run({ agent: "loser", attempts: 3 }, async (tx) => {
      calls += 1;
      await tx.get("hot/key");
      await winning.coordinator.run({ agent: "winner" }, (other) => other.put("hot/key", calls, { blind: true }));
      tx.put("hot/other", calls);
    });
    expect(calls).toBe(3);
    expect(result).toMatchObject({
      outcome: "refused",
      attempts: 3,
      refusal: { code: "conflict", conflicts: [{ key: "hot/key", agent: "winner" }] },
    });
  });

  it("a business action is done once, whoever asks again and however often at once", async () => {
    const participants = await pair();
    const results = await Promise.all([...participants, ...participants, ...participants].map(book));
    expect(results.map((result) => result.outcome === "committed" && result.value)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(await participants[0].coordinator.get("trips/booked")).toBe(1);
    expect(attemptId("trip 9", 1)).toContain("trip 9");
  });

  it("a range of several partition keys is one transaction where the space has one partition, and refused elsewhere", async () => {
    const [{ coordinator, space }] = await pair();
    const scan = coordinator.run({ agent: "a" }, (tx) => tx.scan({ prefix: "" }));
    if (space.genesis.limits.partitionKeys === 0) expect(await scan).toMatchObject({ outcome: "committed", value: [] });
    else await expect(scan).rejects.toMatchObject({ code: "invalid_argument" });
    expect(prefixRange("a/")).toEqual({ from: "a/", to: "a0" });
  });
});

function committedAt(results: readonly RunResult<unknown>[]): { partition: number; offset: number } {
  for (const result of results)
    if (result.outcome === "committed" && result.version !== undefined) return result.version;
  throw new Error("none committed");
}

async function recordAt(
  { intents }: Participant["space"],
  { partition, offset }: { partition: number; offset: number },
) {
  const stop = new AbortController();
  for await (const { records } of intents.read(new Map([[partition, offset]]), { signal: stop.signal })) {
    stop.abort();
    if (records[0] !== undefined) return records[0].value;
  }
  throw new Error(`no record at ${partition}@${offset}`);
}
