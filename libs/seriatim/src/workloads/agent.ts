// An agent: a process of its own, started by a workload with its job as JSON.
import { once } from "node:events";
import { contend } from "@seriatim/workloads";
import { tellParent, workAsChild } from "../staging/child.ts";
import type { Job, JobMessage } from "./job.ts";
import { openParty, warm } from "./party.ts";

async function main(): Promise<void> {
  const job = JSON.parse(process.argv[2] ?? "") as Job;
  const going = once(process, "message");
  process.channel?.ref();
  const party = await openParty(job.target);
  await warm(party, [job]);
  const contender = await party.contender(job, job.settings);
  await tellParent({ kind: "ready" } satisfies JobMessage);
  await going;
  const report = await contend(
    job.agent,
    contender,
    job.tasks,
    () => void tellParent({ kind: "done_one" } satisfies JobMessage),
  );
  await tellParent({ kind: "done", report } satisfies JobMessage);
  // It stays until its parent ends it: the others may need it still, for it may be the one that commits for all.
}

workAsChild(main);
