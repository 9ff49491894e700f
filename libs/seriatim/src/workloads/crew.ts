import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { contend, type AgentReport, type Contender } from "@seriatim/workloads";
import type { Processes } from "../staging/processes.ts";
import type { Job, JobMessage } from "./job.ts";
import { openParty, warm } from "./party.ts";

const agentModule = fileURLToPath(new URL("./agent.js", import.meta.url));

/** Agents that are ready to begin. */
export interface Crew {
  /** Lets all begin at once; resolves when all have done. */
  go(onDone: () => void): Promise<AgentReport[]>;
  end(): Promise<void>;
}

interface Agent {
  readonly job: Job;
  readonly contender: Contender;
}

/** All agents in this process. */
export async function crewInProcess([first, ...others]: readonly Job[]): Promise<Crew> {
  if (first === undefined) throw new Error("a crew has at least one agent");
  const party = await openParty(first.target);
  const jobs = [first, ...others];
  await warm(party, jobs);
  const agents: Agent[] = [];
  for (const job of jobs) agents.push({ job, contender: await party.contender(job, job.settings) });
  return {
    go: (onDone) => Promise.all(agents.map(({ job, contender }) => contend(job.agent, contender, job.tasks, onDone))),
    end: async () => {
      await Promise.all(agents.map(({ contender }) => contender.close()));
      await party.close();
    },
  };
}

/** Each agent a process of its own. */
export async function crewOfProcesses(jobs: readonly Job[], processes: Processes): Promise<Crew> {
  const agents = jobs.map((job) => new JobProcess(job, processes));
  await Promise.all(agents.map(({ ready }) => ready));
  return {
    go: (onDone) => Promise.all(agents.map((agent) => agent.go(onDone))),
    end: () => processes.end(),
  };
}

/** An agent process, seen from its parent. */
class JobProcess {
  readonly ready: Promise<void>;
  readonly #process: ChildProcess;
  readonly #report: Promise<AgentReport>;
  #isReady: () => void = () => undefined;
  #isDone: (report: AgentReport) => void = () => undefined;
  #onDone: () => void = () => undefined;

  constructor(job: Job, processes: Processes) {
    const child = processes.start({ name: job.agent, module: agentModule, arguments: [JSON.stringify(job)] });
    this.#process = child;
    this.ready = new Promise((resolve) => (this.#isReady = resolve));
    this.#report = new Promise((resolve) => (this.#isDone = resolve));
    child.on("message", (message: JobMessage) => this.#hear(message));
  }

  go(onDone: () => void): Promise<AgentReport> {
    this.#onDone = onDone;
    this.#process.send("go");
    return this.#report;
  }

  #hear(message: JobMessage): void {
    switch (message.kind) {
      case "ready":
        return this.#isReady();
      case "done_one":
        return this.#onDone();
      case "done":
        return this.#isDone(message.report);
    }
  }
}
