import type { Coordinator, Entry } from "@seriatim/client";
import type { Handlers } from "@seriatim/effects";
import type { Isolation } from "@seriatim/protocol";
import { Actor, type Part } from "./actor.ts";
import { Outside } from "./outside.ts";
import type { Step } from "./step.ts";

/** Lets somebody call the effects of the space, by these handlers. */
export type StartWorker = (handlers: Handlers) => Promise<void>;

/** What a scenario is played with: one space, one level, and agents that go only as far as they are told. */
export class Play {
  readonly isolation: Isolation;
  /** All that happened, in order. */
  readonly steps: Step[] = [];
  readonly #coordinator: Coordinator;
  readonly #startWorker: StartWorker;

  constructor(coordinator: Coordinator, isolation: Isolation, startWorker: StartWorker) {
    this.#coordinator = coordinator;
    this.#startWorker = startWorker;
    this.isolation = isolation;
  }

  /** What stands at the beginning. */
  async given(values: Readonly<Record<string, unknown>>): Promise<void> {
    const result = await this.#coordinator.run({ agent: "setup" }, (tx) => {
      for (const [key, value] of Object.entries(values)) tx.put(key, value);
    });
    if (result.outcome === "refused") throw new Error(`the scenario could not be set up: ${result.refusal.message}`);
    for (const [key, value] of Object.entries(values)) this.steps.push({ agent: "setup", kind: "given", key, value });
  }

  /** Lets an agent work up to its first pause. */
  async begin<T>(agent: string, part: Part<T>): Promise<Actor<T>> {
    const actor = new Actor(this.#coordinator, { agent, isolation: this.isolation, part, steps: this.steps });
    await actor.paused;
    return actor;
  }

  /** Lets an agent do all of its work at once. */
  async perform<T>(agent: string, part: Part<T>): Promise<T> {
    return (await this.begin(agent, part)).finish();
  }

  /** A world outside that effects reach. @param slow what it takes its time over. */
  async outside(slow: string): Promise<Outside> {
    const outside = new Outside(slow, this.steps);
    await this.#startWorker(outside.handlers);
    return outside;
  }

  async read<T>(key: string): Promise<T | undefined> {
    return this.#coordinator.get<T>(key);
  }

  async scan(prefix: string): Promise<Entry[]> {
    return this.#coordinator.scan({ prefix });
  }
}
