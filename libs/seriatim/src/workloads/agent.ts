// An agent: a process of its own, started by a workload with its job as JSON.
import { once } from "node:events";
import { contend } from "@seriatim/workloads";
import { contenderOf, openFor, type Job, type JobMessage } from "./job.ts";
import { warm } from "./warm.ts";

async function main(): Promise<void> {
  const job = JSON.parse(process.argv[2] ?? "") as Job;
  const going = once(process, "message");
  process.channel?.ref();
  const coordinator = await openFor(job);
  await warm(job, coordinator);
  await tell({ kind: "ready" });
  await going;
  const contender = contenderOf(job, coordinator);
  const report = await contend(job.agent, contender, job.tasks, () => void tell({ kind: "done_one" }));
  await tell({ kind: "done", report });
  // The others may need this process still: it may be the one that commits for all.
  await once(process, "message");
  await coordinator.close();
  process.channel?.unref();
}

/** Resolves when the message has left this process. */
function tell(message: JobMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(70);
});
