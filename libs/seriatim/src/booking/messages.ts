import type { Isolation, Version } from "@seriatim/protocol";
import type { Address } from "../staging/address.ts";

/** What an agent process is started with, as JSON in its first argument. */
export interface AgentArguments {
  readonly agent: string;
  readonly address: Address;
  readonly isolation: Isolation;
  readonly show: string;
  /** The seat that it would like best. */
  readonly wish: string;
}

/** What the parent tells all agents: to begin, once all are ready; and to decide, once all of them hold a seat. */
export type ParentMessage = "begin" | "decide";

/** What an agent process tells its parent. */
export type AgentMessage =
  | { readonly kind: "ready" }
  /** The first time that it holds a seat: it waits until it is told to decide. */
  | { readonly kind: "holding" }
  | { readonly kind: "done"; readonly report: AgentReport };

/** What became of an agent's wish. */
export interface AgentReport {
  readonly agent: string;
  /** Null when it found none free; undefined when its last attempt was refused too. */
  readonly seat: string | null | undefined;
  /** Where that was decided. */
  readonly version: Version | undefined;
  /** The sentence with which its first attempt was refused, if it was. */
  readonly refusal: string | undefined;
  /** Verdicts that refused it. */
  readonly refusals: number;
  /** Calls of the box office that failed, so that it began anew. */
  readonly failedCalls: number;
}
