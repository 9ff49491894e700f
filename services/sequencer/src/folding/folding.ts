import type { Offset, Verdict } from "@seriatim/protocol";

/** One record of the verdicts log that a driver has read back. */
export interface ReadBack {
  /** The record's offset in the verdicts log. */
  readonly at: Offset;
  readonly value: Uint8Array;
  /** Undefined when it could not be read. */
  readonly verdict: Verdict | undefined;
}

/**
 * Who folds what the drivers read back into the view. What was taken may be folded later than it was decided by, or be
 * lost with the process: a view stores its own position, and the log still has what comes after it (invariant 9).
 */
export interface Folding {
  /**
   * Takes records of one partition's verdicts log, in its order; resolves when there is room for more, or when `signal`
   * fires.
   * @throws what a fold has failed with, of this call or an earlier one.
   */
  take(partition: number, records: readonly ReadBack[], signal: AbortSignal): Promise<void>;

  /** Resolves when the view holds all that was taken, or when `signal` fires. @throws what a fold has failed with. */
  settled(signal?: AbortSignal): Promise<void>;

  /** Resolves when `signal` fires. @throws what a fold has failed with, also where nobody takes or waits. */
  watch(signal: AbortSignal): Promise<void>;
}
