/* A process that commits in one space for as long as its parent says, as so many agents at once, and tells what came of it. */
import { rmSync } from "node:fs";
import { createCoordinator, type Coordinator } from "@seriatim/client";
import { openSpace } from "./spaces.ts";
import { microseconds, readTwoWriteOne, repeat, type Tally } from "./workload.ts";
import type { Begin, Done } from "./writers.ts";

const [file = "", agents = "1"] = process.argv.slice(2);

/** As many as it takes until the code runs as fast as it gets. */
const warmUp = 4_000;

/** As many at once, where only their number counts. */
const atOnce = 8;

await warm();
const space = await openSpace(file);
const coordinator = createCoordinator(space);

process.on("message", (begin: Begin) => void run(begin));
process.on("disconnect", () => void coordinator.close());
process.send?.("ready");

async function run(begin: Begin): Promise<void> {
  const before = space.committed;
  const processor = process.cpuUsage();
  const tallies = "seconds" in begin ? await commitFor(begin.seconds) : await commitOften(coordinator, begin.commits);
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

function commitFor(seconds: number): Promise<Tally[]> {
  return Promise.all(Array.from({ length: Number(agents) }, () => repeat(seconds, () => commit(coordinator))));
}

async function commitOften(on: Coordinator, commits: number): Promise<[]> {
  for (let done = 0; done < commits; done += atOnce)
    await Promise.all(Array.from({ length: atOnce }, () => commit(on)));
  return [];
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
  await commitOften(on, warmUp);
  await on.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${own}${suffix}`, { force: true });
}
