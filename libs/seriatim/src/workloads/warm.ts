import type { Coordinator } from "@seriatim/client";
import { contenderOf, warmUp, type Job } from "./job.ts";

/** Lets the agent do a little of the same where it meets nobody: what is new to a process is slow in it once. */
export async function warm(job: Job, coordinator: Coordinator): Promise<void> {
  const own = warmUpCounters + Number(/\d+$/.exec(job.agent)?.[0] ?? 0);
  const contender = contenderOf({ ...job, settings: { ...job.settings, think: 0 } }, coordinator);
  for (let count = 0; count < warmUp; count += 1) await contender.perform(own);
}

/** Above all that are contended for. */
const warmUpCounters = 1_000_000;
