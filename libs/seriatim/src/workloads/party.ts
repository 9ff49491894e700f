import { CounterAgent, DecisionAgent, SqliteAgent, type Contender, type Settings } from "@seriatim/workloads";
import { openAt } from "../staging/address.ts";
import type { Job, Target } from "./job.ts";

/** What agents of one process share: one coordinator, as an application has it, and nothing with the others. */
export interface Party {
  contender(job: Job, settings: Settings): Promise<Contender>;
  close(): Promise<void>;
}

export async function openParty(target: Target): Promise<Party> {
  switch (target.system) {
    case "seriatim": {
      const coordinator = await openAt(target.address);
      const Agent = target.workload === "counters" ? CounterAgent : DecisionAgent;
      return {
        contender: async ({ agent }, settings) => new Agent(coordinator, agent, settings),
        close: () => coordinator.close(),
      };
    }
    case "sqlite": {
      const { file, mode, synchronous } = target;
      return {
        contender: async (_, { think }) => new SqliteAgent(file, mode, think, synchronous),
        close: async () => {},
      };
    }
    case "postgres": {
      const { PostgresAgent } = await import("@seriatim/workloads/postgres");
      const { server, level } = target;
      return { contender: async (_, { think }) => PostgresAgent.connect(server, level, think), close: async () => {} };
    }
  }
}

/** Before it counts, a process does the same for so long, in ms, and each agent so often: what is new is slow at first. */
const warmUp = { process: 700, agent: 5 } as const;

/** Counters and decisions from here on are contended for by nobody, and count for nothing. */
const warmUpTasks = 1_000_000;

/** Lets agents warm up, in a hurry, where they meet nobody: the first of them for long, the others have its code by then. */
export async function warm(party: Party, jobs: readonly Job[]): Promise<void> {
  for (const [index, job] of jobs.entries()) {
    const until = performance.now() + (index === 0 ? warmUp.process : 0);
    const contender = await party.contender(job, { ...job.settings, think: 0 });
    for (let count = 0; count < warmUp.agent || performance.now() < until; count += 1)
      await contender.perform(warmUpTask(job, count));
    await contender.close();
  }
}

function warmUpTask({ agent, target }: Job, count: number): number {
  const own = warmUpTasks * (1 + Number(/\d+$/.exec(agent)?.[0] ?? 0));
  const isDecision = target.system === "seriatim" && target.workload === "decisions";
  return isDecision ? own + count : own;
}
