import { assert, type Bytes, type EffectRecord, type EffectResult } from "@seriatim/protocol";
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

/** An attempt that begins with a claim, or with a report where the claim is won already. */
export function newAttempt(
  { partition, offset, index, side, digest }: EffectId,
  attempt: number,
  now: number,
  result: EffectResult | undefined,
): Attempt {
  const id = { partition, offset, index, side, digest };
  return { id, attempt, phase: result === undefined ? "claiming" : "reporting", claimedAt: now, sentAt: now, result };
}

/** What is sent of it now. */
export function recordOf(
  { id, attempt, result }: Attempt,
  { claims }: Progress,
  { space, worker }: { readonly space: Bytes; readonly worker: string },
): EffectRecord {
  const { partition, offset, index, side, digest } = id;
  const base = { space, partition, effect: { offset, index, side }, arguments: digest };
  if (result === undefined) return { kind: "claim", ...base, attempt, worker };
  const claim = claims[attempt - 1];
  assert(claim?.worker === worker, "an attempt is reported on that was not won");
  return { kind: "report", ...base, claim: claim.offset, worker, result };
}
