import { fileURLToPath } from "node:url";
import type { ChildProcess } from "node:child_process";
import type { AgentArguments, AgentMessage, Counts, Go, RunReport } from "./messages.ts";
import type { Processes } from "../staging/processes.ts";

const agentModule = fileURLToPath(new URL("./agent.js", import.meta.url));

/** An agent process, seen from its parent. */
export class AgentProcess {
  readonly #process: ChildProcess;
  readonly #onReport: (report: RunReport, counts: Counts) => void;
  readonly ready: Promise<void>;
  readonly done: Promise<void>;
  #isReady: () => void = () => undefined;
  #isDone: () => void = () => undefined;

  constructor(processes: Processes, given: AgentArguments, onReport: (report: RunReport, counts: Counts) => void) {
    this.#onReport = onReport;
    this.ready = new Promise((resolve) => (this.#isReady = resolve));
    this.done = new Promise((resolve) => (this.#isDone = resolve));
    this.#process = processes.start({ name: given.agent, module: agentModule, arguments: [JSON.stringify(given)] });
    this.#process.on("message", (message) => this.#hear(message as AgentMessage));
  }

  go(go: Go): void {
    this.#process.send(go);
  }

  #hear(message: AgentMessage): void {
    switch (message.kind) {
      case "ready":
        return this.#isReady();
      case "ran":
        return this.#onReport(message.report, message.counts);
      case "done":
        return this.#isDone();
    }
  }
}
