import { openAt, type Address } from "../staging/address.ts";
import { TemporaryFolder } from "../staging/folder.ts";
import type { Processes } from "../staging/processes.ts";
import { setStage, type Stage } from "../staging/stage.ts";
import { withProcesses } from "../staging/with-processes.ts";
import { judgeAt, type Judged } from "../workloads/judging.ts";
import { AgentProcess } from "./agent-process.ts";
import { judge, type Evidence, type Judgement } from "./judge.ts";
import type { DemoOptions } from "./options.ts";
import { makePlan, type Plan } from "./plan.ts";
import { claimMonth, gather, putUpSeats } from "./space-steps.ts";
import { Tally } from "./tally.ts";

export interface DemoResult {
  readonly options: DemoOptions;
  readonly month: string;
  readonly address: Address;
  readonly tally: Tally;
  readonly evidence: Evidence;
  readonly judgement: Judgement;
  /** What the checker says of the space, which may hold more than this run. */
  readonly judged: Judged;
  /** From the start to the end of the counting. */
  readonly seconds: number;
}

export interface DemoWatch {
  readonly signal: AbortSignal;
  /** Called once, when the agents begin. */
  readonly onBegin: (tally: Tally) => void;
}

/**
 * Runs the demo, and leaves no process behind, however it ends.
 * @throws Failure `aborted` when the signal fires; what opening the space throws; an Error that names a child process
 *   which ended early.
 */
export async function runDemo(options: DemoOptions, watch: DemoWatch): Promise<DemoResult> {
  const folder = new TemporaryFolder("demo");
  try {
    return await withProcesses("the demo", watch.signal, (processes) => performDemo(options, watch, folder, processes));
  } finally {
    folder.endAt(options.place);
  }
}

async function performDemo(
  options: DemoOptions,
  watch: DemoWatch,
  folder: TemporaryFolder,
  processes: Processes,
): Promise<DemoResult> {
  const began = performance.now();
  const plan = makePlan(options);
  const tally = new Tally();
  const stage = await setStage(options.place, "demo", folder, processes);
  const [month, agents] = await Promise.all([
    prepare(stage, plan, options),
    startAgents(stage, options, processes, tally),
  ]);
  watch.onBegin(tally);
  for (const [index, agent] of agents.entries()) agent.go({ month, wishes: plan.wishes[index] ?? [] });
  await Promise.all(agents.map(({ done }) => done));
  const evidence = await collect(stage, plan, month, tally);
  return {
    options,
    month,
    address: stage("parent"),
    tally,
    evidence,
    judgement: judge(evidence),
    judged: await judgeAt(stage("parent")),
    seconds: (performance.now() - began) / 1000,
  };
}

async function prepare(stage: Stage, plan: Plan, { isolation }: DemoOptions): Promise<string> {
  const coordinator = await openAt(stage("parent"));
  try {
    const month = await claimMonth(coordinator, plan, isolation);
    await putUpSeats(coordinator, plan, month);
    return month;
  } finally {
    await coordinator.close();
  }
}

/** Resolves when all are ready to go. */
async function startAgents(
  stage: Stage,
  { agents, isolation, think }: DemoOptions,
  processes: Processes,
  tally: Tally,
): Promise<AgentProcess[]> {
  const names = Array.from({ length: agents }, (_, index) => `agent-${index + 1}`);
  const started = names.map((agent) => {
    const given = { agent, address: stage(agent), isolation, think };
    return new AgentProcess(processes, given, (report, counts) => tally.add(report, counts));
  });
  await Promise.all(started.map(({ ready }) => ready));
  return started;
}

/** Opens the space anew, so that what is counted is what anybody would find there. */
async function collect(stage: Stage, plan: Plan, month: string, { claims }: Tally): Promise<Evidence> {
  const coordinator = await openAt(stage("parent"));
  try {
    return await gather(coordinator, plan, month, claims);
  } finally {
    await coordinator.close();
  }
}
