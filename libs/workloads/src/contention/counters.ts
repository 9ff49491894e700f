import type { Coordinator, Transaction } from "@seriatim/client";
import type { Contender, Done } from "./contender.ts";
import { mostAttempts, type Settings } from "./settings.ts";
import { Thinking, type Thought } from "./thinking.ts";

/** Each counter under a partition key of its own: on Kafka they spread over the partitions. */
export function counterKey(counter: number): string {
  return `counter-${counter}/value`;
}

/** An agent that adds to shared counters: reads, thinks, writes one more. */
export class CounterAgent implements Contender {
  readonly #coordinator: Coordinator;
  readonly #agent: string;
  readonly #settings: Settings;
  readonly #thinking: Thinking;
  #tasks = 0;

  constructor(coordinator: Coordinator, agent: string, settings: Settings) {
    this.#coordinator = coordinator;
    this.#agent = agent;
    this.#settings = settings;
    this.#thinking = new Thinking(settings.think);
  }

  get spent(): Thought {
    return this.#thinking.spent;
  }

  async perform(counter: number): Promise<Done> {
    const task = (this.#tasks += 1);
    const { isolation } = this.#settings;
    const options = { agent: this.#agent, isolation, attempts: mostAttempts };
    const result = await this.#coordinator.run(options, (tx) => this.#add(tx, counterKey(counter), task));
    const isCommitted = result.outcome === "committed";
    if (isCommitted) this.#thinking.keep();
    else this.#thinking.discard();
    return { isCommitted, attempts: result.attempts };
  }

  async close(): Promise<void> {}

  async #add(tx: Transaction, key: string, task: number): Promise<void> {
    const { memo, signal } = this.#settings;
    if (!memo) this.#thinking.discard();
    const held = (await tx.get<number>(key)) ?? 0;
    const think = (): Promise<void> => this.#thinking.think(signal ? tx.signal : undefined);
    if (memo) await tx.memo({ task }, async () => (await think(), task));
    else await think();
    tx.put(key, held + 1);
  }
}

/** Sets the counters to 0. */
export async function prepareCounters(coordinator: Coordinator, counters: number): Promise<void> {
  for (let counter = 0; counter < counters; counter += 1)
    await coordinator.run({ agent: "bench" }, (tx) => tx.put(counterKey(counter), 0));
}

/** What the counters have come to: read in transactions, so that a view which is behind does not answer. */
export async function sumOfCounters(coordinator: Coordinator, counters: number): Promise<number> {
  let sum = 0;
  for (let counter = 0; counter < counters; counter += 1) sum += await valueOf(coordinator, counterKey(counter));
  return sum;
}

async function valueOf(coordinator: Coordinator, key: string): Promise<number> {
  const result = await coordinator.run({ agent: "bench", attempts: mostAttempts }, (tx) => tx.get<number>(key));
  if (result.outcome === "refused") throw new Error(`${key} could not be read: ${result.refusal.message}`);
  return result.value ?? 0;
}
