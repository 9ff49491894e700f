import type { EffectResult } from "@seriatim/protocol";
import type { HandlerFacts } from "./handler-facts.ts";

/** What came of a call, or of asking what became of an earlier one. */
export type Ended =
  | { readonly kind: "done"; readonly result: Uint8Array | null }
  | { readonly kind: "not_done"; readonly error: string; readonly delay: number }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "unsettled"; readonly error: string; readonly delay: number };

export interface Attempt {
  /** Of those that count against the handler's bound, from 1. */
  readonly tried: number;
  /** An inverse whose forward call may still arrive at the receiver. */
  readonly mayBeOvertaken: boolean;
  readonly chance: number;
}

/** What to report of a call; `reconcile` when the handler is to be asked first. */
export function settleCall(ended: Ended, handler: HandlerFacts, attempt: Attempt): EffectResult | "reconcile" {
  switch (ended.kind) {
    case "done":
      if (!attempt.mayBeOvertaken || handler.voids) return { kind: "done", result: ended.result };
      return handler.canReconcile ? "reconcile" : { kind: "unknown", error: overtaken };
    case "refused":
      return { kind: "failed", error: ended.error };
    case "not_done":
      return again(ended, handler, attempt);
    case "unsettled":
      if (handler.idempotent) return again(ended, handler, attempt);
      return handler.canReconcile ? "reconcile" : { kind: "unknown", error: ended.error };
  }
}

const overtaken =
  "the inverse was called, but the forward call may still arrive, and the handler neither voids it nor can reconcile";

/** What to report of what `reconcile` found. */
export function settleReconciled(ended: Ended, handler: HandlerFacts, attempt: Attempt): EffectResult {
  switch (ended.kind) {
    case "done":
      return { kind: "done", result: ended.result };
    case "refused":
      return { kind: "failed", error: ended.error };
    case "not_done":
      return again(ended, handler, attempt);
    case "unsettled":
      return { kind: "unknown", error: ended.error };
  }
}

/** Exponential backoff with full jitter, and no sooner than the receiver asks for. */
function again(
  { error, delay }: { readonly error: string; readonly delay: number },
  { attempts, backoff, longestBackoff }: HandlerFacts,
  { tried, chance }: Attempt,
): EffectResult {
  if (tried >= attempts) return { kind: "failed", error: `given up after ${tried} attempts; the last one: ${error}` };
  const pause = chance * Math.min(longestBackoff, backoff * 2 ** Math.min(tried - 1, 30));
  return { kind: "again", error, delay: Math.round(Math.max(delay, pause)) };
}
