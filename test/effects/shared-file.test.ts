/* What one process has stored in the file that workers share, another reads in the logs only later. */
import { EffectsReading, type Act } from "@seriatim/effects-worker";
import { SqliteFile, type Batch, type Log } from "@seriatim/log";
import { createEffectsCodec, sha256, type EffectRecord } from "@seriatim/protocol";
import { expect, it } from "vitest";
import { describeSpaces, type Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { HoldingAgent } from "./holding-agent.ts";
import { Settable, startWorker } from "./workers.ts";

const patient = { timeout: 20_000 };

/** A log whose readers get nothing more once `isShut` says so, until the gate opens. */
function gated(log: Log, isShut: () => boolean, gate: Promise<void>): Log {
  return readBy(log, async function* (batches) {
    for await (const batch of batches) {
      if (isShut()) await gate;
      yield batch;
    }
  });
}

function readBy(log: Log, pass: (batches: AsyncIterable<Batch>) => AsyncIterable<Batch>): Log {
  return {
    name: log.name,
    partitions: log.partitions,
    append: (...given) => log.append(...given),
    bounds: (partition) => log.bounds(partition),
    read: (...given) => pass(log.read(...given)),
    close: () => log.close(),
  };
}

/** The log, and what kinds of its records readers have taken and gone on from. */
function watched(space: Participant["space"]): { log: Log; read: Set<EffectRecord["kind"]> } {
  const codec = createEffectsCodec(space.codec.genesis);
  const read = new Set<EffectRecord["kind"]>();
  const log = readBy(space.effects, async function* (batches) {
    for await (const batch of batches) {
      yield batch;
      for (const { value } of batch.records) {
        const record = codec.decode(value);
        if (record !== undefined) read.add(record.kind);
      }
    }
  });
  return { log, read };
}

/** As `seriatim effects` does: reads both logs, stores what it has read, and may decide about the last that there is. */
async function look({ space }: Participant, path: string, act?: Act): Promise<void> {
  const file = SqliteFile.open(path);
  const { verdicts, effects, codec } = space;
  const { signal } = new AbortController();
  const reading = await EffectsReading.open({ verdicts, effects, codec, file, hash: sha256, signal });
  const last = [...reading.rows({ all: true })].at(-1);
  if (act !== undefined && last !== undefined) await reading.decide(last, act);
  file.close();
}

await describeSpaces("what somebody else has stored before a worker reads it", (make) => {
  /** A worker beside others on one file, which reads no more verdicts between `shut` and `open`, and an agent. */
  async function begin() {
    const participant = await (await make()).join();
    const { coordinator, space } = participant;
    const path = temporaryFile("shared.db");
    const calls: unknown[] = [];
    const gate = new Settable();
    let isShut = false;
    const verdicts = gated(space.verdicts, () => isShut, gate.promise);
    const effects = watched(space);
    const handler = { call: (args: unknown) => void calls.push(args), voids: true };
    await startWorker(space, { note: handler, release: handler }, { path, verdicts, effects: effects.log });
    return {
      participant,
      path,
      calls,
      read: effects.read,
      shut: () => (isShut = true),
      open: () => gate.resolve(),
      defer: (text: string) => coordinator.run({ agent: "agent", partitionKey: "a" }, (tx) => tx.defer("note", text)),
    };
  }

  it("is called: what was deferred, and the inverse of a hold", async () => {
    const { participant, path, calls, shut, open, defer } = await begin();
    const agent = new HoldingAgent(participant);
    const held = await agent.hold();
    await agent.report(held, { kind: "done", result: null });
    await defer("first");
    await expect.poll(() => calls, patient).toEqual(["first"]);
    shut();
    await defer("second");
    await agent.cancel(held);
    await look(participant, path);
    open();
    await expect.poll(() => calls.length, patient).toBe(3);
    expect(calls).toEqual(expect.arrayContaining(["second", { seat: 4 }]));
  });

  it("is not called before what stands before it in its lane", async () => {
    const { participant, path, calls, read, shut, open, defer } = await begin();
    await defer("first");
    await expect.poll(() => calls, patient).toEqual(["first"]);
    shut();
    await defer("second");
    await defer("third");
    await look(participant, path, { act: "retry", who: "ops", why: "to be sure" });
    // Then the worker knows of what that is about, and of nothing before it.
    await expect.poll(() => read.has("decision"), patient).toBe(true);
    open();
    await expect.poll(() => calls.length, patient).toBe(3);
    expect(calls).toEqual(["first", "second", "third"]);
  });
});
