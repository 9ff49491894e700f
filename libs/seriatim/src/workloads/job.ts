import { CounterAgent, type AgentReport, type Contender, type CounterSettings } from "@seriatim/workloads";
import { openAt, type Address } from "../staging/address.ts";
import type { Coordinator } from "@seriatim/client";

/** What one agent is to do. It goes to child processes as JSON. */
export interface Job {
  readonly agent: string;
  readonly address: Address;
  readonly settings: CounterSettings;
  /** The counters to add to, in order. */
  readonly tasks: readonly number[];
}

/** What an agent process tells its parent. */
export type JobMessage =
  { readonly kind: "ready" } | { readonly kind: "done_one" } | { readonly kind: "done"; readonly report: AgentReport };

/** Before it counts: each agent warms up on a counter of its own. */
export const warmUp = 20;

export function contenderOf({ agent, settings }: Job, coordinator: Coordinator): Contender {
  return new CounterAgent(coordinator, agent, settings);
}

/** Opens what the job is about. */
export function openFor({ address }: Job): Promise<Coordinator> {
  return openAt(address);
}
