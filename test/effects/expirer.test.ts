/* Who expires a hold waits for whoever decides it, and does not fill the log meanwhile. */
import { createCodec, createGenesis, sha256 } from "@seriatim/protocol";
import type { Row } from "@seriatim/effects-worker";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { noProgress } from "../../services/effects-worker/src/core/index.ts";
import { Expirer } from "../../services/effects-worker/src/expirer.ts";
import type { PartitionFold } from "../../services/effects-worker/src/fold/partition-fold.ts";

const codec = createCodec(createGenesis({ partitions: 1 }), sha256);
const minute = 60_000;
const lease = 5 * minute;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function heldNow(): Row {
  const held = { name: "reserve", intent: "intent-1", agent: "agent", undo: "release", timeout: 10, isOpen: true };
  const time = Date.now();
  return {
    partition: 0,
    offset: 5,
    index: 0,
    side: "forward",
    digest: sha256(Buffer.from("{}")),
    definition: { kind: "hold", ...held, time, deadline: time + lease },
    changed: 5,
    arguments: Buffer.from("{}"),
    progress: noProgress,
  };
}

it("a hold that nobody decides is expired ever more seldom, and at once when it can be", async () => {
  const row = heldNow();
  const records: unknown[] = [];
  const timing = { now: Date.now, wallTime: Date.now, random: () => 0, sleep: () => Promise.resolve() };
  const append = async (_: number, bytes: Uint8Array) => void records.push(codec.decodeIntent(bytes));
  const fold = { holds: [row], get: () => row } as unknown as PartitionFold;
  const expirer = new Expirer({ codec, partition: 0, fold, timing, append });
  expirer.begin();
  await vi.advanceTimersByTimeAsync(lease - 1);
  expect(records).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(records).toHaveLength(2);
  expect(records[0]).toMatchObject({ kind: "expire", id: "intent-1", hold: 5 });
  await vi.advanceTimersByTimeAsync(60 * minute);
  expect(records.length).toBeGreaterThan(60);
  expect(records.length).toBeLessThan(75);
  expirer.stop();
});
