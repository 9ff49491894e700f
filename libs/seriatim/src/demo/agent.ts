// An agent: a process of its own, started by the demo with its arguments as JSON. It works off its wishes one by one and
// tells its parent what became of each.
import { setTimeout as sleep } from "node:timers/promises";
import type { Coordinator, RunResult } from "@seriatim/client";
import { openAt } from "../staging/address.ts";
import { tellParent, workAsChild } from "../staging/child.ts";
import type { AgentArguments, AgentMessage, Counts, Go, RunReport } from "./messages.ts";
import type { Wish } from "./plan.ts";
import { carryOut, type Answer } from "./rules.ts";

/** Enough for whoever loses to everybody else several times over. */
const mostAttempts = 40;

class Agent {
  readonly #arguments: AgentArguments;
  readonly #coordinator: Coordinator;
  #hasLost = false;

  constructor(given: AgentArguments, coordinator: Coordinator) {
    this.#arguments = given;
    this.#coordinator = coordinator;
  }

  /**
   * A run keeps its refusals to itself as long as it has attempts left. To have one to show, the agent takes a single
   * attempt until it has lost once, and then does what the refusal tells it to: try again.
   */
  async work(wish: Wish, month: string): Promise<RunReport> {
    if (this.#hasLost) return this.#report(wish, await this.#run(wish, month, mostAttempts));
    const first = await this.#run(wish, month, 1);
    if (first.outcome === "committed") return this.#report(wish, first);
    this.#hasLost = true;
    return this.#report(wish, await this.#run(wish, month, mostAttempts), first.refusal.message);
  }

  get counts(): Counts {
    const { refusals, retries } = this.#coordinator.statistics();
    return {
      refusals: Object.values(refusals).reduce((sum, count) => sum + count, 0),
      retries: retries + (this.#hasLost ? 1 : 0),
    };
  }

  #run(wish: Wish, month: string, attempts: number): Promise<RunResult<Answer>> {
    const { agent, isolation, think } = this.#arguments;
    return this.#coordinator.run({ agent, isolation, attempts }, (tx) => carryOut(tx, wish, month, () => sleep(think)));
  }

  #report(wish: Wish, result: RunResult<Answer>, refusal?: string): RunReport {
    const { agent } = this.#arguments;
    return result.outcome === "committed"
      ? { agent, wish, answer: result.value, version: result.version, refusal }
      : { agent, wish, answer: undefined, version: undefined, refusal: result.refusal.message };
  }
}

async function main(): Promise<void> {
  const given = JSON.parse(process.argv[2] ?? "") as AgentArguments;
  const going = new Promise<Go>((resolve) => process.once("message", (message) => resolve(message as Go)));
  process.channel?.ref();
  const coordinator = await openAt(given.address);
  await tellParent({ kind: "ready" } satisfies AgentMessage);
  const { month, wishes } = await going;
  const agent = new Agent(given, coordinator);
  for (const wish of wishes) {
    const report = await agent.work(wish, month);
    await tellParent({ kind: "ran", report, counts: agent.counts } satisfies AgentMessage);
  }
  await coordinator.close();
  await tellParent({ kind: "done" } satisfies AgentMessage);
}

workAsChild(main);
