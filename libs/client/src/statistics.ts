import type { RefusalCode } from "@seriatim/protocol";

/** What a coordinator has done since it was made. Durations in ms. */
export interface Statistics {
  /** Runs and submits that committed by this coordinator's own intent. */
  readonly commits: number;
  /** Calls of a transaction's function. */
  readonly attempts: number;
  /** Verdicts that refused, by code. */
  readonly refusals: Readonly<Record<RefusalCode, number>>;
  /** Attempts that followed a refusal in the same run. */
  readonly retries: number;
  /** Runs and submits that were answered by an earlier decision under the same id. */
  readonly repeated: number;
  /** Intents whose outcome was unknown for a time and needed a cancel, whatever it brought. */
  readonly unknown: number;
  /** Time between the beginning of an attempt and its function's end. */
  readonly msThought: number;
  /** The part of it that ended in a refusal, or was given up because what it had read was overwritten. */
  readonly msWasted: number;
}
