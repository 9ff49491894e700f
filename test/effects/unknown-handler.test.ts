/* An effect waits for a handler that nobody knows: whoever looks at the log later is told too. */
import { createGenesis, sha256 } from "@seriatim/protocol";
import type { Row } from "@seriatim/effects-worker";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Lanes, noProgress } from "../../services/effects-worker/src/core/index.ts";
import { Dispatcher } from "../../services/effects-worker/src/dispatcher.ts";
import type { PartitionFold } from "../../services/effects-worker/src/fold/partition-fold.ts";
import type { Outbox } from "../../services/effects-worker/src/outbox.ts";
import { Slots } from "../../services/effects-worker/src/slots.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const waiting: Row = {
  partition: 0,
  offset: 5,
  index: 0,
  side: "forward",
  digest: sha256(Buffer.from("{}")),
  definition: { kind: "deferred", name: "notify", lane: "a", intent: "intent-1", agent: "agent", time: 0 },
  changed: 5,
  arguments: Buffer.from("{}"),
  progress: noProgress,
};

it("a worker says once a minute that effects wait for a handler that it does not know", async () => {
  const said: string[] = [];
  const lanes = new Lanes();
  lanes.add({ ...waiting, lane: "a" });
  const dispatcher = new Dispatcher({
    space: createGenesis({ partitions: 1 }).space,
    partition: 0,
    worker: "worker",
    handlers: new Map(),
    fold: { lanes, undos: [], get: () => waiting } as unknown as PartitionFold,
    outbox: {} as Outbox,
    slots: new Slots(1),
    timing: { now: Date.now, wallTime: Date.now, random: () => 0, sleep: () => Promise.resolve() },
    grace: 5_000,
    resultBytes: 1_000,
    onMissingHandler: (name) => said.push(name),
  });
  dispatcher.begin();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(said).toEqual(["notify"]);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(said).toHaveLength(6);
  dispatcher.stop();
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(said).toHaveLength(6);
});
