import type { EffectResult } from "@seriatim/protocol";
import type { HandlerFacts } from "./handler-facts.ts";
import { newestClaim, type Progress } from "./progress.ts";

/** What a worker is to do about an effect that is next in its lane. */
export type Step =
  /** Until the log says something new of it. */
  | { readonly kind: "nothing" }
  /** To look again at this time. */
  | { readonly kind: "wait"; readonly until: number }
  | { readonly kind: "claim"; readonly attempt: number }
  | { readonly kind: "call" }
  /** To ask the handler what became of an earlier call. */
  | { readonly kind: "reconcile" }
  | { readonly kind: "report"; readonly result: EffectResult };

/** Times are in ms of the worker's own clock, which only runs forward. */
export interface Situation {
  readonly now: number;
  /** When this worker read what the effect has come to. */
  readonly since: number;
  /** An inverse may not be called before. */
  readonly notBefore: number;
  readonly worker: string;
  /** When this worker sent the claim that stands; undefined when it did not. */
  readonly claimedAt: number | undefined;
  /** For how long this worker leaves an effect to the one that has taken the last ones of this handler. */
  readonly courtesy: number;
  /** How long after a call's time-out its claim is taken over. */
  readonly grace: number;
  /** From 0 (inclusive) to 1 (exclusive): the effect's own, so that two workers do not choose alike. */
  readonly chance: number;
}

/** Says what is to be done next: a function of what the log says and of the worker's clock. */
export function nextStep(progress: Progress, handler: HandlerFacts, situation: Situation): Step {
  const { state, attempt, delay } = progress;
  const { since, notBefore, courtesy } = situation;
  switch (state) {
    case "done":
    case "failed":
    case "dropped":
      return nothing;
    case "pending":
      return claimAt(Math.max(since + delay, notBefore) + courtesy, attempt + 1, situation);
    case "unknown": {
      if (!handler.canReconcile) return nothing;
      return claimAt(since + spread(handler.longestBackoff, situation), attempt + 1, situation);
    }
    case "claimed":
      return newestClaim(progress)?.worker === situation.worker
        ? ownStep(progress, handler, situation)
        : claimAt(takeOver(handler, situation), attempt + 1, situation);
  }
}

const nothing: Step = { kind: "nothing" };

function claimAt(due: number, attempt: number, { now }: Situation): Step {
  return now < due ? { kind: "wait", until: due } : { kind: "claim", attempt };
}

/** When a claim is taken over. Whoever holds it has given up its call by then, see {@link isStale}. */
function takeOver({ timeout }: HandlerFacts, { since, grace, chance }: Situation): number {
  return since + timeout + grace * (1 + chance / 4);
}

/** From half of `ms` to all of it. */
function spread(ms: number, { chance }: Situation): number {
  return ms * (0.5 + chance / 2);
}

/** The claim is this worker's, and was read back as the first of its attempt. */
function ownStep(progress: Progress, handler: HandlerFacts, situation: Situation): Step {
  const { attempt, pardoned, inDoubt, error } = progress;
  if (isStale(situation)) {
    // Surely not called under this claim; what the attempts before it did is as open as before.
    if (!inDoubt) return { kind: "report", result: { kind: "again", error: "the worker was held up", delay: 0 } };
    return { kind: "claim", attempt: attempt + 1 };
  }
  if (inDoubt && !handler.idempotent) {
    if (handler.canReconcile) return { kind: "reconcile" };
    return { kind: "report", result: { kind: "unknown", error: error ?? "its worker ended without a word" } };
  }
  const tried = attempt - pardoned - 1;
  if (tried < handler.attempts) return { kind: "call" };
  const last = error === null ? "" : `; the last one: ${error}`;
  return { kind: "report", result: { kind: "failed", error: `given up after ${tried} attempts${last}` } };
}

/**
 * Whether so much time has passed since the claim was sent that a call might outlast the patience of others: their
 * clocks began later, when they read it. So no two workers call at once, unless one is halted in the midst of a call.
 */
function isStale({ now, claimedAt, grace }: Situation): boolean {
  return claimedAt === undefined || now - claimedAt > grace / 2;
}
