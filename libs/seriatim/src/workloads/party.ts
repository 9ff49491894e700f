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

/** How often each agent does a little of the same before it counts: what is new to a process is slow in it once. */
const warmUp = 20;

/** Counters and decisions from here on are contended for by nobody, and count for nothing. */
const warmUpTasks = 1_000_000;

/** Lets the agent warm up, in a hurry, where it meets nobody. */
export async function warm(party: Party, job: Job): Promise<void> {
  const contender = await party.contender(job, { ...job.settings, think: 0 });
  const own = warmUpTasks + 1000 * Number(/\d+$/.exec(job.agent)?.[0] ?? 0);
  const isDecision = job.target.system === "seriatim" && job.target.workload === "decisions";
  for (let count = 0; count < warmUp; count += 1) await contender.perform(isDecision ? own + count : own);
  await contender.close();
}
