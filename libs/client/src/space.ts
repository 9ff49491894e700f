import type { Genesis, Offset, Version } from "@seriatim/protocol";
import type { Advance, View } from "@seriatim/view";

export interface AppendOptions {
  readonly signal?: AbortSignal;
  /** Diagnostics that travel with the record where there is a way to travel. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a space that decides with the append says at once of the record appended. */
export interface Appended {
  readonly offset: Offset;
  /** Log time at the record, in ms since 1970. */
  readonly time: number;
  /** Whether it committed as the first record to claim its id. Otherwise the view says what became of the id. */
  readonly isCommitted: boolean;
}

/**
 * An open space as a coordinator needs it: a view to read from, a log to append to, and news of what was applied.
 * Embedded and Kafka each have one.
 */
export interface Space {
  readonly genesis: Genesis;
  readonly view: View;

  /**
   * Appends one encoded record to the intents log of `partition`. Resolves when it is durable; its verdict comes by way
   * of the view, which has it already where this resolves with what was decided.
   * @throws Failure `unavailable` (nothing was appended) or `unknown_outcome` (it may have been).
   */
  append(partition: number, record: Uint8Array, options?: AppendOptions): Promise<Appended | void>;

  /** Whether `append` resolves only once the record is decided. */
  readonly decidesOnAppend?: boolean;

  /**
   * How many records of the intents log of `partition`, as far as this process knows its end, have no applied verdict.
   * A space that decides with the append has none.
   */
  backlog?(partition: number): number;

  /**
   * Appends one encoded report to the effects log of `partition`: what came of a call that this process made itself.
   * @throws as {@link append} does.
   */
  report(partition: number, record: Uint8Array): Promise<void>;

  /** Calls `listener` after each advance of the view, by whichever process. Returns the function that ends it. */
  subscribe(listener: (advance: Advance) => void): () => void;

  /**
   * Resolves when the view has applied `version`, or at once when it has.
   * @throws Failure `not_yet` after `timeout` ms; `aborted`; `closed`; `log_changed`.
   */
  reached(version: Version, options?: { readonly signal?: AbortSignal; readonly timeout?: number }): Promise<void>;

  /**
   * Where a space can end for good while it is open.
   * @throws the Failure with which it ended: `log_changed`, above all. What its view holds is then no longer to be told.
   */
  assertGoing?(): void;

  close(): Promise<void>;
}
