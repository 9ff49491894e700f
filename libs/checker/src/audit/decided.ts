import type { Offset, Outcome } from "@seriatim/protocol";
import type { IntentItem } from "../space/items.ts";

/** An intents record with what was decided on it, as far as either is known. */
export interface DecidedRecord {
  readonly partition: number;
  readonly offset: Offset;
  /** Log time at the record: the highest append time so far, in ms since 1970. */
  readonly time: number;
  /** Whose intent it is, as the verdict says, or without one the record. */
  readonly id: string | null;
  readonly agent: string | null;
  /** Undefined where only verdicts are read. */
  readonly intent: IntentItem | undefined;
  /** Undefined while there is no verdict. */
  readonly outcome: Outcome | undefined;
}
