import type { Settings, Totals } from "@seriatim/workloads";
import type { Judged } from "./judging.ts";
import type { Target } from "./job.ts";

/** Who takes part in a workload: a system, and the way in which it is used. */
export type Entrant =
  | { readonly system: "seriatim"; readonly settings: Settings }
  | (Omit<Extract<Target, { readonly system: "sqlite" }>, "file"> & { readonly think: number })
  | (Omit<Extract<Target, { readonly system: "postgres" }>, "server"> & { readonly think: number });

/** What came of a run, besides what the agents report. */
export interface Outcome {
  /** Increments that were acknowledged and that the counters lack; null where nothing is counted. */
  readonly lost: number | null;
  /** The same, by what the log says was read; null where there is no log to read. */
  readonly lostByLog: number | null;
  /** Decisions that stand on a budget which had changed before they committed; null where there are none. */
  readonly stale: number | null;
  /** Null for the systems whose histories the checker cannot read. */
  readonly judged: Judged | null;
}

/** Where a workload takes place: a fresh space, or a fresh table. */
export interface Arena {
  target(agent: string): Target;
  /** What goes on besides the agents, until the signal fires. */
  accompany(signal: AbortSignal): Promise<void>;
  outcome(totals: Totals): Promise<Outcome>;
  close(): Promise<void>;
}
