import type { EffectResult } from "@seriatim/protocol";
import { newestClaim, type Progress } from "./core/index.ts";
import type { EffectId } from "./store/row.ts";

/** An attempt at an effect that this worker makes: what it does now is sent until it is read back. */
export interface Attempt {
  readonly id: EffectId;
  attempt: number;
  phase: "claiming" | "calling" | "reporting";
  /** When the claim was sent first. */
  claimedAt: number;
  /** When something was sent last. */
  sentAt: number;
  /** While it is reported. */
  result: EffectResult | undefined;
}

/** What reading the log has shown of an attempt. */
export type Standing = "unread" | "won" | "over";

/** How this worker's attempt stands by the log. */
export function standing({ attempt, phase, result }: Attempt, progress: Progress, worker: string): Standing {
  const { state } = progress;
  const isOurs = progress.attempt === attempt && newestClaim(progress)?.worker === worker;
  if (phase === "claiming") {
    if (progress.attempt < attempt)
      return state === "pending" || state === "claimed" || state === "unknown" ? "unread" : "over";
    return isOurs && state === "claimed" ? "won" : "over";
  }
  // That the call was made is to be known in any case.
  if (result?.kind === "done") return state === "done" ? "over" : "won";
  return isOurs && state === "claimed" ? "won" : "over";
}
