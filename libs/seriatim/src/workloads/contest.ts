import {
  deal,
  prepareCounters,
  sumOfCounters,
  totalsOf,
  type AgentReport,
  type CounterSettings,
  type Totals,
} from "@seriatim/workloads";
import { openAt } from "../staging/address.ts";
import type { TemporaryFolder } from "../staging/folder.ts";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import { Processes } from "../staging/processes.ts";
import { setStage, type Stage } from "../staging/stage.ts";
import { crewInProcess, crewOfProcesses, type Crew } from "./crew.ts";
import type { Job } from "./job.ts";

export interface ContestOptions {
  readonly agents: number;
  /** Of each agent. */
  readonly transactions: number;
  readonly keys: number;
  readonly seed: number;
  /** Each agent a process of its own. */
  readonly processes: boolean;
  readonly place: FilePlace | KafkaPlace;
  readonly settings: CounterSettings;
}

export interface ContestResult extends Totals {
  /** Increments that were acknowledged and that the counters lack. */
  readonly lost: number;
}

export interface ContestWatch {
  readonly signal: AbortSignal;
  /** Called after each transaction of any agent. */
  readonly onDone: () => void;
}

/** One run of the counters in a space of its own. Leaves no process behind, however it ends. */
export async function runContest(
  options: ContestOptions,
  watch: ContestWatch,
  folder: TemporaryFolder,
): Promise<ContestResult> {
  const processes = new Processes();
  try {
    const stage = await setStage(options.place, `bench-${(spaces += 1)}`, folder, processes);
    const perform = performContest(options, watch, stage, processes);
    return await Promise.race([perform, processes.failure]);
  } finally {
    await processes.end();
  }
}

let spaces = 0;

async function performContest(
  options: ContestOptions,
  watch: ContestWatch,
  stage: Stage,
  processes: Processes,
): Promise<ContestResult> {
  const coordinator = await openAt(stage("parent"));
  try {
    await prepareCounters(coordinator, options.keys);
    const crew = await makeCrew(options, stage, processes);
    let reports: AgentReport[];
    try {
      reports = await crew.go(watch.onDone);
    } finally {
      await crew.end();
    }
    const totals = totalsOf(reports);
    return { ...totals, lost: totals.commits - (await sumOfCounters(coordinator, options.keys)) };
  } finally {
    await coordinator.close();
  }
}

function makeCrew(options: ContestOptions, stage: Stage, processes: Processes): Promise<Crew> {
  const { agents, transactions, keys, seed, settings } = options;
  const jobs = deal(seed, agents, transactions, keys).map((tasks, index): Job => {
    const agent = `agent-${index + 1}`;
    return { agent, address: stage(options.processes ? agent : "agents"), settings, tasks };
  });
  return options.processes ? crewOfProcesses(jobs, processes) : crewInProcess(jobs);
}
