/**
 * What a call that failed says of the effect:
 * - `not_done`: it has surely not happened; try again;
 * - `refused`: it has surely not happened and never will: a dead letter at once;
 * - `unsettled`: it may have happened.
 */
export type CallFault = "not_done" | "refused" | "unsettled";

const faults: readonly unknown[] = ["not_done", "refused", "unsettled"] satisfies readonly CallFault[];

export interface CallErrorOptions {
  /** The least pause before the next call, in ms. */
  readonly delay?: number;
  readonly cause?: unknown;
}

/** For a handler to throw when it knows more than that something went wrong. Its message stands in the log. */
export class CallError extends Error {
  readonly fault: CallFault;
  readonly delay: number | undefined;

  constructor(fault: CallFault, message: string, options: CallErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CallError";
    this.fault = fault;
    this.delay = options.delay;
  }
}

/** By its name, never by `instanceof`: two copies of this package may be installed. */
export function isCallError(error: unknown): error is CallError {
  return error instanceof Error && error.name === "CallError" && "fault" in error && faults.includes(error.fault);
}
