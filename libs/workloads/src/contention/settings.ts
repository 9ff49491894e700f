import type { Isolation } from "@seriatim/protocol";

/** How the agents of a workload go about a transaction. */
export interface Settings {
  readonly isolation: Isolation;
  /** How long an agent thinks between read and write, in ms. */
  readonly think: number;
  /** Stops thinking as soon as the answer cannot commit (`tx.signal`). */
  readonly signal: boolean;
  /** Thinks about the task and not about what was read, and keeps the answer over attempts (`tx.memo`). */
  readonly memo: boolean;
}

/** Enough for whoever loses to everybody else many times over. */
export const mostAttempts = 200;
