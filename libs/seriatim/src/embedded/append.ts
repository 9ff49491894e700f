import type { Appended } from "@seriatim/client";
import { Failure } from "@seriatim/protocol";

/** A record on its way into the intents log, perhaps by two ways at once: the same bytes decide once (invariant 6). */
export interface Append {
  readonly record: Uint8Array;
  /** Whether its caller has had an answer, so that it need not be committed any more. */
  readonly isSettled: boolean;
  /** @param appended what was decided of it, where that is known. */
  durable(appended: Appended | undefined): void;
  failed(error: unknown): void;
}

/** The append of a call in this process. */
export class OwnAppend implements Append {
  readonly record: Uint8Array;
  /** Whether the holder has it and has not said what became of it. */
  isWithHolder = false;
  /** Whether it was given to the direct way because the holder did not answer. */
  isDirect = false;
  #isSettled = false;
  readonly #resolve: (appended: Appended | undefined) => void;
  readonly #reject: (error: unknown) => void;

  constructor(record: Uint8Array, resolve: (appended: Appended | undefined) => void, reject: (error: unknown) => void) {
    this.record = record;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  durable(appended: Appended | undefined): void {
    this.#isSettled = true;
    this.#resolve(appended);
  }

  /** What a holder was given may still be committed by it, whatever the direct way has come to. */
  failed(error: unknown): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reject(this.isWithHolder ? unknownOutcome(error) : error);
  }
}

function unknownOutcome(cause: unknown): Failure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Failure(
    "unknown_outcome",
    `the process that commits for all did not answer, and committing without it failed (${why}): ` +
      "the record may or may not stand in the log",
    { cause },
  );
}
