// An agent: a process of its own, started by a workload with its job as JSON.
import { once } from "node:events";
import { contend } from "@seriatim/workloads";
import type { Job, JobMessage } from "./job.ts";
import { openParty, warm } from "./party.ts";

async function main(): Promise<void> {
  const job = JSON.parse(process.argv[2] ?? "") as Job;
  const going = once(process, "message");
  process.channel?.ref();
  const party = await openParty(job.target);
  await warm(party, [job]);
  const contender = await party.contender(job, job.settings);
  await tell({ kind: "ready" });
  await going;
  const report = await contend(job.agent, contender, job.tasks, () => void tell({ kind: "done_one" }));
  await tell({ kind: "done", report });
  // It stays until its parent ends it: the others may need it still, for it may be the one that commits for all.
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
