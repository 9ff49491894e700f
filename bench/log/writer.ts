/* A process that commits in one space for as long as its parent says, as so many agents at once, and tells what came of it. */
import { rmSync } from "node:fs";
import { createCoordinator, type Coordinator } from "@seriatim/client";
import { openSpace } from "./spaces.ts";
import { microseconds, readTwoWriteOne, repeat, type Tally } from "./workload.ts";
import type { Begin, Done } from "./writers.ts";

const [file = "", agents = "1"] = process.argv.slice(2);

/** As many as it takes until the code runs as fast as it gets. */
const warmUp = 4_000;

await warm();
const space = await openSpace(file);
const coordinator = createCoordinator(space);

process.on("message", ({ seconds }: Begin) => void run(seconds));
process.on("disconnect", () => void coordinator.close());
process.send?.("ready");

async function run(seconds: number): Promise<void> {
  const before = space.committed;
  const processor = process.cpuUsage();
  const tallies = await Promise.all(Array.from({ length: Number(agents) }, () => agent(coordinator, seconds)));
  const { transactions, records } = space.committed;
  const done: Done = {
    tallies,
    role: space.role,
    transactions: transactions - before.transactions,
    records: records - before.records,
    processor: microseconds(process.cpuUsage(processor)),
  };
  process.send?.(done);
}

function agent(on: Coordinator, seconds: number): Promise<Tally> {
  return repeat(seconds, () => commit(on));
}

/** Returns how often it was refused before. */
async function commit(on: Coordinator): Promise<number> {
  const result = await on.run({ agent: "bench", attempts: 100 }, readTwoWriteOne);
  if (result.outcome !== "committed") throw new Error(result.refusal.message);
  return result.attempts - 1;
}

/** In a space of its own, which does not wait for the disk. */
async function warm(): Promise<void> {
  const own = `${file}.${process.pid}`;
  const on = createCoordinator(await openSpace(own, { socket: false, synchronous: "normal" }));
  for (let done = 0; done < warmUp; done += 8) await Promise.all(Array.from({ length: 8 }, () => commit(on)));
  await on.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${own}${suffix}`, { force: true });
}
