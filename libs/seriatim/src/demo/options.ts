import type { RunOptions } from "../staging/run-options.ts";

export interface DemoOptions extends RunOptions {
  /** Of all agents together. */
  readonly runs: number;
  /** How long an agent thinks between read and commit, in ms. */
  readonly think: number;
}
