import { once } from "node:events";
import { renameSync } from "node:fs";
import { SqliteFile } from "@seriatim/log";
import { createGenesis, encodeGenesis, isFailure, toKey, type Genesis } from "@seriatim/protocol";
import { FoldThread, type Folding, type ReadBack } from "@seriatim/sequencer";
import { View } from "@seriatim/view";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pack, unpack } from "../../services/sequencer/src/folding/packed-records.ts";
import { applied, SimulatedSpace } from "../support/simulated-space.ts";
import { temporaryFile } from "../support/temporary.ts";

const signal = new AbortController().signal;

async function viewAt(path: string, genesis: Genesis): Promise<{ file: SqliteFile; view: View }> {
  const file = SqliteFile.open(path);
  onTestFinished(() => file.close());
  const view = await View.open(file);
  await file.transaction(() => view.bind(encodeGenesis(genesis)));
  return { file, view };
}

function threadAt(
  path: string,
  genesis: Genesis,
  options: { readonly patience?: number; readonly program?: URL } = {},
): FoldThread {
  const thread = new FoldThread({ path, genesis, ...options });
  onTestFinished(() => thread.close());
  return thread;
}

/** Records that nobody can read: a fold counts them, and moves on. */
function torn(count: number, from = 0): ReadBack[] {
  return Array.from({ length: count }, (_, index) => ({
    at: from + index,
    value: Buffer.from([index]),
    verdict: undefined,
  }));
}

/** Keeps the file's write lock until it is told to let go. */
function locked(path: string): () => void {
  const other = SqliteFile.open(path);
  onTestFinished(() => other.close());
  other.database.prepare("BEGIN IMMEDIATE").run();
  const end = other.database.prepare("ROLLBACK");
  return () => {
    if (other.database.inTransaction) end.run();
  };
}

async function codeOf(failing: Promise<unknown>): Promise<unknown> {
  return failing.then(
    () => "none",
    (error: unknown) => (isFailure(error) ? error.code : error),
  );
}

/** One that a process dies with: what it took is lost. */
const losing: Folding = {
  take: () => Promise.resolve(),
  settled: () => Promise.resolve(),
  watch: async (until) => {
    if (!until.aborted) await once(until, "abort");
  },
};

describe("a sequencer whose view is folded by another thread", () => {
  it("leaves the same view as one that folds itself", async () => {
    const space = await SimulatedSpace.create({ partitions: 2 });
    const path = temporaryFile();
    await viewAt(path, space.genesis);
    const folding = threadAt(path, space.genesis);
    const other = await space.start({ path, folding });
    const own = await space.start();
    for (const partition of [0, 1]) {
      let last = 0;
      for (let n = 0; n < 40; n += 1) {
        const write = { key: toKey(`k/${n % 7}`), value: Buffer.from(`${n}`), blind: n % 2 === 0 };
        const submit = space.submit({ id: `${n}`, partition, snapshot: Math.max(0, n - 3), writes: [write] });
        last = await space.append(submit, partition);
      }
      await applied(own, last, partition);
      await applied(other, last, partition);
      expect(other.view.position(partition).chain).toBe(own.view.position(partition).chain);
      expect(other.view.statistics(partition)).toEqual(own.view.statistics(partition));
    }
    await folding.settled();
    expect(folding.waiting).toEqual({ records: 0, bytes: 0 });
  });

  it("starts from a view that lags behind the verdicts, and repeats none of them", async () => {
    const space = await SimulatedSpace.create();
    const path = temporaryFile();
    const { view } = await viewAt(path, space.genesis);
    const witness = await space.start({ assigned: new Set() });
    const before = await space.start({ path, folding: losing, assigned: new Set([0]) });
    for (let n = 0; n < 20; n += 1) await applied(witness, await space.append(space.submit({ id: `${n}` })));
    await before.stop();
    expect(view.position(0).offset).toBe(-1);
    const { end } = await space.verdicts.bounds(0);

    const after = await space.start({ path, folding: threadAt(path, space.genesis), assigned: new Set([0]) });
    await applied(after, await space.append(space.submit({ id: "next" })));
    expect(view.decisionOf("next")).toMatchObject({ outcome: { kind: "committed" } });
    expect(view.decisionOf("7")).toMatchObject({ offset: 8, outcome: { kind: "committed" } });
    expect((await space.verdicts.bounds(0)).end).toBe(end + 1);
  });

  it("sends nothing twice while the fold holds up its reading", async () => {
    const space = await SimulatedSpace.create();
    const hold = new AbortController();
    const folding: Folding = { ...losing, take: () => losing.watch(hold.signal) };
    const looks = vi.spyOn(space.verdicts, "bounds");
    const member = await space.start({ folding, assigned: new Set([0]), stallAfter: 10 });
    onTestFinished(() => hold.abort());
    for (let n = 0; n < 20; n += 1) await space.append(space.submit({ id: `${n}` }));
    // It has looked many times as often as the log would have to be quiet.
    await expect.poll(() => looks.mock.calls.length, { timeout: 20_000 }).toBeGreaterThan(50);
    expect(member.sequencer.status()).toMatchObject([{ decided: 20, stalls: 0 }]);
    expect((await space.verdicts.bounds(0)).end).toBe(21);
    hold.abort();
    await expect.poll(() => member.sequencer.status()).toMatchObject([{ head: { offset: 20 }, pending: 0 }]);
  });

  it("ends with what a fold fails with, also when nothing more is decided", async () => {
    const space = await SimulatedSpace.create();
    const path = temporaryFile();
    await viewAt(path, space.genesis);
    const folding = threadAt(path, space.genesis);
    const member = await space.start({ path, folding });
    await applied(member, await space.append(space.submit({ id: "one" })));
    await folding.settled();
    renameSync(path, `${path}.moved`);
    await space.append(space.submit({ id: "two" }));
    expect(await codeOf(member.running)).toBe("log_changed");
  });
});

describe("a thread that folds", () => {
  const genesis = createGenesis({ partitions: 1 });

  it("holds up whoever gives it more than it folds", async () => {
    const path = temporaryFile();
    const { view } = await viewAt(path, genesis);
    const thread = threadAt(path, genesis);
    await thread.take(0, torn(10), signal);
    await thread.settled();
    const release = locked(path);
    await thread.take(0, torn(16_000, 10), signal);
    let isTaken = false;
    const taking = thread.take(0, torn(1_000, 16_010), signal).then(() => (isTaken = true));
    expect(await Promise.race([taking, thread.settled(AbortSignal.abort()).then(() => "full")])).toBe("full");
    expect([isTaken, thread.waiting.records]).toEqual([false, 17_000]);
    release();
    await taking;
    await thread.settled();
    expect(thread.waiting).toEqual({ records: 0, bytes: 0 });
    expect(view.position(0).next).toBe(17_010);
  });

  it("lets go of whoever waits when the signal fires", async () => {
    const path = temporaryFile();
    await viewAt(path, genesis);
    const thread = threadAt(path, genesis);
    const release = locked(path);
    const stop = new AbortController();
    const waiting = [thread.take(0, torn(17_000), stop.signal), thread.settled(stop.signal), thread.watch(stop.signal)];
    stop.abort();
    await Promise.all(waiting);
    release();
  });

  it("folds what it was given before it ends", async () => {
    const path = temporaryFile();
    const { view } = await viewAt(path, genesis);
    const thread = threadAt(path, genesis, { patience: 60_000 });
    await thread.take(0, torn(10_000), signal);
    await thread.close();
    expect(view.position(0).next).toBe(10_000);
    await thread.close();
  });

  it("ends in the middle of it when others keep the file, and the view goes on from where it stands", async () => {
    const path = temporaryFile();
    const { view } = await viewAt(path, genesis);
    const thread = threadAt(path, genesis, { patience: 50 });
    await thread.take(0, torn(10), signal);
    await thread.settled();
    const release = locked(path);
    await thread.take(0, torn(10, 10), signal);
    await thread.close();
    release();
    expect(view.position(0).next).toBe(10);
    const next = threadAt(path, genesis);
    await next.take(0, torn(30, 10), signal);
    await next.settled();
    expect(view.position(0).next).toBe(40);
  });

  it.each([
    ["ends", "process.exit(3)", /ended by itself \(3\)/],
    ["throws", "throw new Error('out of luck')", /out of luck/],
  ])("that %s by itself fails whoever takes, waits or watches", async (_, source, message) => {
    const path = temporaryFile();
    await viewAt(path, genesis);
    const thread = threadAt(path, genesis, { program: new URL(`data:text/javascript,${source}`) });
    await expect(thread.watch(signal)).rejects.toThrow(message);
    await expect(thread.take(0, torn(1), signal)).rejects.toThrow(message);
    await expect(thread.settled()).rejects.toThrow(message);
    await thread.close();
  });

  it("fails where there is no file, with the failure's own code", async () => {
    const thread = threadAt(`${temporaryFile()}.missing`, genesis);
    expect(await codeOf(thread.watch(signal))).toBe("invalid_argument");
  });
});

describe("packed records", () => {
  it("are unpacked as they were", () => {
    const records = fc.array(fc.record({ at: fc.maxSafeNat(), value: fc.uint8Array() }));
    fc.assert(
      fc.property(fc.nat(99), records, (partition, packed) => {
        const found = pack(partition, packed);
        expect(found.partition).toBe(partition);
        expect(unpack(found)).toEqual(packed);
      }),
    );
  });
});
