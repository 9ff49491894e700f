import type { Coordinator, RunOptions, Transaction } from "@seriatim/client";
import type { VirtualClock } from "@seriatim/log";
import type { Answer } from "./answer.ts";
import { endOfMonth, monthOf } from "./month.ts";

const customer = "goodwill-customer-7";

/** Where the goodwill of a month stands, all under one partition key. */
export interface MonthKeys {
  readonly month: string;
  /** Of everything that was given. */
  readonly all: string;
  /** Of the credits among it. */
  readonly credits: string;
  readonly discounts: string;
  readonly quota: string;
  readonly lock: string;
}

export function keysOf(month: string): MonthKeys {
  const all = `${customer}/${month}/`;
  return {
    month,
    all,
    credits: `${all}credit-`,
    discounts: `${all}discount-`,
    quota: `${customer}/quota/${month}`,
    lock: `${customer}/lock/${month}`,
  };
}

export interface DeskOptions {
  readonly coordinator: Coordinator;
  readonly clock: VirtualClock;
  readonly zone: string;
  readonly agent: string;
  /** How long the agent thinks between what it reads and what it writes, in ms. */
  readonly think: number;
}

/** One agent at the customer's desk. It goes by the store's month. */
export class Desk {
  readonly agent: string;
  readonly coordinator: Coordinator;
  readonly clock: VirtualClock;
  readonly #zone: string;
  readonly #think: number;
  thought = 0;

  constructor({ coordinator, clock, zone, agent, think }: DeskOptions) {
    this.coordinator = coordinator;
    this.clock = clock;
    this.agent = agent;
    this.#zone = zone;
    this.#think = think;
  }

  async think(): Promise<void> {
    await this.clock.sleep(this.#think);
    this.thought += this.#think;
  }

  /**
   * Runs a transaction that is about this month, and is void once the month is over. When it is over before the commit,
   * the agent does what the refusal says: it looks at the clock again.
   */
  async run(
    options: Omit<RunOptions, "agent">,
    body: (tx: Transaction, keys: MonthKeys) => Promise<Answer>,
  ): Promise<Answer> {
    const result = await this.coordinator.run({ agent: this.agent, ...options }, async (tx) => {
      const now = this.clock.now();
      tx.validUntil(endOfMonth(now, this.#zone));
      return body(tx, keysOf(monthOf(now, this.#zone)));
    });
    if (result.outcome === "committed") return result.value;
    if (result.refusal.code === "not_in_time") return this.run(options, body);
    const nextStep = "Look again what stands, and decide anew.";
    return { outcome: "refused", reason: result.refusal.message, nextStep };
  }
}
