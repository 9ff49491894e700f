import { refusalCodes, type RefusalCode } from "@seriatim/protocol";

/** What a coordinator has done since it was made. Durations in ms. */
export interface Statistics {
  /** Runs and submits that committed by this coordinator's own intent, or had nothing to decide. */
  readonly commits: number;
  /** Calls of a transaction's function. */
  readonly attempts: number;
  /** Answers that refused, by code. */
  readonly refusals: Readonly<Record<RefusalCode, number>>;
  /** Calls of a transaction's function after the first in the same run. */
  readonly retries: number;
  /** Runs and submits that were answered by an earlier decision under the same id. */
  readonly repeated: number;
  /** Intents whose outcome was unknown for a time and needed a cancel, whatever it brought. */
  readonly unknown: number;
  /** Time between the beginning of attempts and their functions' end. */
  readonly msThought: number;
  /** The part of it that ended in a refusal, or was given up because what had been read was overwritten. */
  readonly msWasted: number;
}

/** The statistics as they are being counted. */
export class Counters {
  commits = 0;
  attempts = 0;
  retries = 0;
  repeated = 0;
  unknown = 0;
  msThought = 0;
  msWasted = 0;
  readonly #refusals: Record<RefusalCode, number> = noRefusals();

  refused(code: RefusalCode): void {
    this.#refusals[code] += 1;
  }

  read(): Statistics {
    const { commits, attempts, retries, repeated, unknown, msThought, msWasted } = this;
    return { commits, attempts, refusals: { ...this.#refusals }, retries, repeated, unknown, msThought, msWasted };
  }
}

function noRefusals(): Record<RefusalCode, number> {
  return Object.fromEntries(refusalCodes.map((code) => [code, 0])) as Record<RefusalCode, number>;
}
