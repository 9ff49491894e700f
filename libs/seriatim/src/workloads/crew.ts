import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { contend, type AgentReport } from "@seriatim/workloads";
import type { Processes } from "../staging/processes.ts";
import { contenderOf, openFor, type Job, type JobMessage } from "./job.ts";
import { warm } from "./warm.ts";

const agentModule = fileURLToPath(new URL("./agent.js", import.meta.url));

/** Agents that are ready to begin. */
export interface Crew {
  /** Lets all begin at once; resolves when all have done. */
  go(onDone: () => void): Promise<AgentReport[]>;
  end(): Promise<void>;
}

/** All agents in this process, on one coordinator, as an application would have them. */
export async function crewInProcess(jobs: readonly Job[]): Promise<Crew> {
  const [first] = jobs;
  if (first === undefined) throw new Error("a crew has at least one agent");
  const coordinator = await openFor(first);
  const contenders = jobs.map((job) => contenderOf(job, coordinator));
  for (const job of jobs) await warm(job, coordinator);
  return {
    go: (onDone) =>
      Promise.all(
        jobs.map(({ agent, tasks }, index) => {
          const contender = contenders[index];
          if (contender === undefined) throw new Error(`${agent} has nothing to contend with`);
          return contend(agent, contender, tasks, onDone);
        }),
      ),
    end: () => coordinator.close(),
  };
}

/** Each agent a process of its own. */
export async function crewOfProcesses(jobs: readonly Job[], processes: Processes): Promise<Crew> {
  const agents = jobs.map((job) => new JobProcess(job, processes));
  await Promise.all(agents.map(({ ready }) => ready));
  return {
    go: (onDone) => Promise.all(agents.map((agent) => agent.go(onDone))),
    end: async () => {
      for (const agent of agents) agent.dismiss();
    },
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

  dismiss(): void {
    this.#process.send("dismissed");
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
