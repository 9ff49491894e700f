import type { Isolation, Version } from "@seriatim/protocol";
import type { Address } from "../staging/address.ts";
import type { Wish } from "./plan.ts";
import type { Answer } from "./rules.ts";

/** What an agent process is started with, as JSON in its first argument. */
export interface AgentArguments {
  readonly agent: string;
  readonly address: Address;
  readonly isolation: Isolation;
  /** How long it thinks between read and commit, in ms. */
  readonly think: number;
}

/** Sent by the parent once every agent is ready: they all begin at once. */
export interface Go {
  readonly month: string;
  readonly wishes: readonly Wish[];
}

/** What an agent process tells its parent. */
export type AgentMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "ran"; readonly report: RunReport; readonly counts: Counts }
  | { readonly kind: "done" };

/** What became of one run. */
export interface RunReport {
  readonly agent: string;
  readonly wish: Wish;
  /** Undefined when its last attempt was refused too. */
  readonly answer: Answer | undefined;
  /** Where it took effect. */
  readonly version: Version | undefined;
  /** The sentence with which an attempt of this run was refused, of the few that are kept. */
  readonly refusal: string | undefined;
}

/** Of one agent since its start. */
export interface Counts {
  /** Verdicts that refused. */
  readonly refusals: number;
  /** Attempts after a refusal. */
  readonly retries: number;
}
