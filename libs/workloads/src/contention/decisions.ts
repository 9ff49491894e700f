import { setTimeout as sleep } from "node:timers/promises";
import type { Coordinator, Transaction } from "@seriatim/client";
import type { Contender, Done } from "./contender.ts";
import { mostAttempts, type Settings } from "./settings.ts";
import { Thinking, type Thought } from "./thinking.ts";

// All under one partition key: a decision and the budget that it rests on are one transaction.
const budgetKey = "policy/budget";
const decisionsPrefix = "policy/decisions/";

/** An agent that reads the budget, thinks, and writes its decision under a key that nobody else writes. */
export class DecisionAgent implements Contender {
  readonly #coordinator: Coordinator;
  readonly #agent: string;
  readonly #settings: Settings;
  readonly #thinking: Thinking;

  constructor(coordinator: Coordinator, agent: string, settings: Settings) {
    this.#coordinator = coordinator;
    this.#agent = agent;
    this.#settings = settings;
    this.#thinking = new Thinking(settings.think);
  }

  get spent(): Thought {
    return this.#thinking.spent;
  }

  async perform(task: number): Promise<Done> {
    const { isolation } = this.#settings;
    const options = { agent: this.#agent, isolation, attempts: mostAttempts };
    const result = await this.#coordinator.run(options, (tx) => this.#decide(tx, task));
    const isCommitted = result.outcome === "committed";
    if (isCommitted) this.#thinking.keep();
    else this.#thinking.discard();
    return { isCommitted, attempts: result.attempts };
  }

  async close(): Promise<void> {}

  async #decide(tx: Transaction, task: number): Promise<void> {
    const { memo, signal } = this.#settings;
    if (!memo) this.#thinking.discard();
    const budget = (await tx.get<number>(budgetKey)) ?? 0;
    const think = (): Promise<void> => this.#thinking.think(signal ? tx.signal : undefined);
    // What is thought about is the task; the budget is only held against the answer.
    if (memo) await tx.memo({ task }, async () => (await think(), task));
    else await think();
    tx.put(`${decisionsPrefix}${this.#agent}-${task}`, { budget });
  }
}

export async function prepareBudget(coordinator: Coordinator): Promise<void> {
  await coordinator.run({ agent: "writer" }, (tx) => tx.put(budgetKey, 0));
}

/** Changes the budget every so many ms until the signal fires: each time it is one more, so that no value comes twice. */
export async function changeBudget(coordinator: Coordinator, interval: number, signal: AbortSignal): Promise<void> {
  for (let next = performance.now() + interval; ; next += interval) {
    await sleep(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await coordinator.run({ agent: "writer" }, async (tx) =>
      tx.put(budgetKey, ((await tx.get<number>(budgetKey)) ?? 0) + 1),
    );
  }
}

/** How many decisions stand that rest on a budget which had changed before they committed. */
export async function countStale(coordinator: Coordinator): Promise<number> {
  // Decided like any other, so that from here on the view holds all that came before.
  await coordinator.run({ agent: "writer", attempts: mostAttempts }, (tx) => tx.count({ prefix: decisionsPrefix }));
  const decisions = await coordinator.scan<{ readonly budget: number }>({ prefix: decisionsPrefix });
  const changedAt = await budgetVersions(coordinator);
  return decisions.filter(({ value, version }) => {
    const changed = changedAt.get(value.budget + 1);
    return changed !== undefined && changed < version.offset;
  }).length;
}

/** The offset at which the budget became each of its values. */
async function budgetVersions(coordinator: Coordinator): Promise<Map<number, number>> {
  const versions = new Map<number, number>();
  for (let before: { readonly partition: number; readonly offset: number } | undefined; ;) {
    const page = await coordinator.history<number>(budgetKey, { before, limit: 1000 });
    for (const { value, version } of page) if (value !== undefined) versions.set(value, version.offset);
    before = page.at(-1)?.version;
    if (before === undefined) return versions;
  }
}
