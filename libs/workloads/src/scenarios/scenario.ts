import type { Condition } from "@seriatim/checker";
import type { Isolation } from "@seriatim/protocol";
import type { Play } from "./play.ts";

/** Whether the anomaly comes about. */
export type Occurrence = "occurs" | "prevented";

/** What the scenario's own invariant came to, as a sentence on what stands at the end. */
export interface Finding {
  readonly occurrence: Occurrence;
  readonly text: string;
}

/** One exact interleaving, driven by hand. */
export interface Scenario {
  readonly name: string;
  /** In one line. */
  readonly story: string;
  readonly expected: Readonly<Record<Isolation, Occurrence>>;
  /** What the checker must find violated in the log where the anomaly occurs, and must find to hold where it does not. */
  readonly condition: Condition;
  play(play: Play): Promise<Finding>;
}

/** Refused only where reads are checked too. */
export const needsSerializable = { none: "occurs", snapshot: "occurs", serializable: "prevented" } as const;

/** Refused already where the writes are checked, or where all reads come from one snapshot. */
export const needsSnapshot = { none: "occurs", snapshot: "prevented", serializable: "prevented" } as const;

export function finding(isViolated: boolean, text: string): Finding {
  return { occurrence: isViolated ? "occurs" : "prevented", text };
}
