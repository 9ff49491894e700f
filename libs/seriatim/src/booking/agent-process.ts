import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Processes } from "../staging/processes.ts";
import { exampleEnvironment } from "./example.ts";
import type { AgentArguments, AgentMessage, AgentReport, ParentMessage } from "./messages.ts";

const agentModule = fileURLToPath(new URL("./agent.js", import.meta.url));

/** An agent process, seen from its parent. */
export class AgentProcess {
  readonly ready: Promise<void>;
  /** It holds a seat for the first time, or has ended without one. */
  readonly holding: Promise<void>;
  readonly done: Promise<AgentReport>;
  readonly #process: ChildProcess;
  #isReady: () => void = () => undefined;
  #isHolding: () => void = () => undefined;
  #isDone: (report: AgentReport) => void = () => undefined;

  constructor(processes: Processes, given: AgentArguments, office: string) {
    this.ready = new Promise((resolve) => (this.#isReady = resolve));
    this.holding = new Promise((resolve) => (this.#isHolding = resolve));
    this.done = new Promise((resolve) => (this.#isDone = resolve));
    this.#process = processes.start({
      name: given.agent,
      module: agentModule,
      arguments: [JSON.stringify(given)],
      environment: exampleEnvironment(office),
    });
    this.#process.on("message", (message) => this.#hear(message as AgentMessage));
  }

  tell(message: ParentMessage): void {
    this.#process.send(message);
  }

  #hear(message: AgentMessage): void {
    switch (message.kind) {
      case "ready":
        return this.#isReady();
      case "holding":
        return this.#isHolding();
      case "done":
        this.#isHolding();
        return this.#isDone(message.report);
    }
  }
}
