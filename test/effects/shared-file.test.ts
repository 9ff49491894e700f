/* What one process has stored in the file that workers share, another reads in the logs only later. */
import { setTimeout as delay } from "node:timers/promises";
import { EffectsReading, type Act } from "@seriatim/effects-worker";
import { SqliteFile, type Batch, type Log } from "@seriatim/log";
import { sha256 } from "@seriatim/protocol";
import { expect, it } from "vitest";
import { describeSpaces, type Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { HoldingAgent } from "./holding-agent.ts";
import { Settable, startWorker } from "./workers.ts";

const patient = { timeout: 20_000 };

/** A log whose readers get nothing more once `isShut` says so, until the gate opens. */
function gated(log: Log, isShut: () => boolean, gate: Promise<void>): Log {
  async function* read(...given: Parameters<Log["read"]>): AsyncGenerator<Batch, void> {
    for await (const batch of log.read(...given)) {
      if (isShut()) await gate;
      yield batch;
    }
  }
  return {
    name: log.name,
    partitions: log.partitions,
    append: (...given) => log.append(...given),
    bounds: (partition) => log.bounds(partition),
    read,
    close: () => log.close(),
  };
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
  it("is called: what was deferred, and the inverse of a hold", async () => {
    const participant = await (await make()).join();
    const { coordinator, space } = participant;
    const path = temporaryFile("shared.db");
    const calls: unknown[] = [];
    const gate = new Settable();
    let isShut = false;
    const verdicts = gated(space.verdicts, () => isShut, gate.promise);
    const handler = { call: (args: unknown) => void calls.push(args), voids: true };
    await startWorker(space, { note: handler, release: handler }, { path, verdicts });
    const agent = new HoldingAgent(participant);
    const held = await agent.hold();
    await agent.report(held, { kind: "done", result: null });
    await coordinator.run({ agent: "agent", partitionKey: "a" }, (tx) => tx.defer("note", "first"));
    await expect.poll(() => calls, patient).toEqual(["first"]);
    isShut = true;
    await coordinator.run({ agent: "agent", partitionKey: "a" }, (tx) => tx.defer("note", "second"));
    await agent.cancel(held);
    await look(participant, path);
    gate.resolve();
    await expect.poll(() => calls.length, patient).toBe(3);
    expect(calls).toEqual(expect.arrayContaining(["second", { seat: 4 }]));
  });

  it("is not called before what stands before it in its lane", async () => {
    const participant = await (await make()).join();
    const { coordinator, space } = participant;
    const path = temporaryFile("shared.db");
    const calls: unknown[] = [];
    const gate = new Settable();
    let isShut = false;
    const verdicts = gated(space.verdicts, () => isShut, gate.promise);
    await startWorker(space, { note: { call: (args) => void calls.push(args) } }, { path, verdicts });
    const defer = async (text: string) =>
      coordinator.run({ agent: "agent", partitionKey: "a" }, (tx) => tx.defer("note", text));
    await defer("first");
    await expect.poll(() => calls, patient).toEqual(["first"]);
    isShut = true;
    await defer("second");
    await defer("third");
    await look(participant, path, { act: "retry", who: "ops", why: "to be sure" });
    // The worker reads the decision meanwhile: it knows of what that is about, and of nothing before it.
    await delay(500);
    gate.resolve();
    await expect.poll(() => calls.length, patient).toBe(3);
    expect(calls).toEqual(["first", "second", "third"]);
  });
});
