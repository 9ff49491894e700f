/* What is to be done next, and what a call's end amounts to. */
import { describe, expect, it } from "vitest";
import {
  nextStep,
  noProgress,
  settleCall,
  settleReconciled,
  type Ended,
  type HandlerFacts,
  type Progress,
  type Situation,
} from "../../services/effects-worker/src/core/index.ts";

const handler: HandlerFacts = {
  idempotent: true,
  timeout: 1_000,
  attempts: 3,
  backoff: 100,
  longestBackoff: 10_000,
  canReconcile: false,
  voids: false,
};
const risky: HandlerFacts = { ...handler, idempotent: false };
const asking: HandlerFacts = { ...risky, canReconcile: true };

const situation: Situation = {
  now: 50_000,
  since: 50_000,
  notBefore: 0,
  worker: "me",
  claimedAt: undefined,
  courtesy: 0,
  grace: 400,
  chance: 0,
};

const mine: Progress = { ...noProgress, state: "claimed", attempt: 1, claims: [{ offset: 10, worker: "me" }] };
const theirs: Progress = { ...mine, claims: [{ offset: 10, worker: "other" }] };
const own = { ...situation, claimedAt: 49_990 };

describe("a pending effect", () => {
  it("is claimed at once by the one whose turn it is, and by others after a while", () => {
    expect(nextStep(noProgress, handler, situation)).toEqual({ kind: "claim", attempt: 1 });
    expect(nextStep(noProgress, handler, { ...situation, courtesy: 300 })).toEqual({ kind: "wait", until: 50_300 });
  });

  it("waits as long as its last attempt said, and an inverse until its forward call is over", () => {
    const tried: Progress = { ...noProgress, attempt: 2, delay: 700 };
    expect(nextStep(tried, handler, situation)).toEqual({ kind: "wait", until: 50_700 });
    expect(nextStep(tried, handler, { ...situation, now: 50_700 })).toEqual({ kind: "claim", attempt: 3 });
    expect(nextStep(noProgress, handler, { ...situation, notBefore: 51_000 })).toEqual({ kind: "wait", until: 51_000 });
  });
});

describe("a claimed effect", () => {
  it("is left to its worker until that must have given up", () => {
    expect(nextStep(theirs, handler, situation)).toEqual({ kind: "wait", until: 51_400 });
    expect(nextStep(theirs, handler, { ...situation, now: 51_399 })).toMatchObject({ kind: "wait" });
    expect(nextStep(theirs, handler, { ...situation, now: 51_400 })).toEqual({ kind: "claim", attempt: 2 });
  });

  it("is called by its worker while others are still patient", () => {
    expect(nextStep(mine, handler, own)).toEqual({ kind: "call" });
    // Others wait from when they read the claim, which is later than it was sent.
    expect(own.claimedAt + situation.grace / 2 + handler.timeout).toBeLessThan(own.claimedAt + handler.timeout + 400);
  });

  it("is not called by a worker that was halted in between", () => {
    const halted = { ...situation, claimedAt: 49_000 };
    expect(nextStep(mine, handler, halted)).toMatchObject({ kind: "report", result: { kind: "again", delay: 0 } });
    expect(nextStep({ ...mine, inDoubt: true }, risky, halted)).toEqual({ kind: "claim", attempt: 2 });
    expect(nextStep(mine, handler, situation)).toMatchObject({ kind: "report", result: { kind: "again" } });
  });

  it("that may have happened is not called blindly unless its handler is idempotent", () => {
    const doubtful: Progress = { ...mine, attempt: 2, inDoubt: true };
    expect(nextStep(doubtful, handler, own)).toEqual({ kind: "call" });
    expect(nextStep(doubtful, risky, own)).toMatchObject({ kind: "report", result: { kind: "unknown" } });
    expect(nextStep(doubtful, asking, own)).toEqual({ kind: "reconcile" });
  });

  it("is a dead letter after as many attempts as its handler allows, also when every worker dies of it", () => {
    const third: Progress = { ...mine, attempt: 3 };
    expect(nextStep(third, handler, own)).toEqual({ kind: "call" });
    const fourth: Progress = { ...mine, attempt: 4, error: "away" };
    expect(nextStep(fourth, handler, own)).toEqual({
      kind: "report",
      result: { kind: "failed", error: "given up after 3 attempts; the last one: away" },
    });
    expect(nextStep({ ...fourth, pardoned: 3 }, handler, own)).toEqual({ kind: "call" });
  });
});

describe("an effect of unknown outcome", () => {
  const lost: Progress = { ...mine, state: "unknown", inDoubt: true };

  it("waits for a person where nobody can be asked", () => {
    expect(nextStep(lost, risky, { ...situation, now: 10 ** 9 })).toEqual({ kind: "nothing" });
  });

  it("is asked about again after a while where its handler can", () => {
    expect(nextStep(lost, asking, situation)).toEqual({ kind: "wait", until: 55_000 });
    expect(nextStep(lost, asking, { ...situation, now: 55_000 })).toEqual({ kind: "claim", attempt: 2 });
  });
});

it.each(["done", "failed", "dropped"] as const)("nothing is to be done about an effect that is %s", (state) => {
  for (const facts of [handler, risky, asking])
    expect(nextStep({ ...mine, state }, facts, { ...situation, now: 10 ** 9 })).toEqual({ kind: "nothing" });
});

describe("the end of a call", () => {
  const first = { tried: 1, mayBeOvertaken: false, chance: 0.5 };
  const ends: Record<Ended["kind"], Ended> = {
    done: { kind: "done", result: null },
    not_done: { kind: "not_done", error: "closed", delay: 0 },
    refused: { kind: "refused", error: "404" },
    unsettled: { kind: "unsettled", error: "late", delay: 0 },
  };

  it.each([
    ["done", "idempotent", handler, "done"],
    ["not_done", "idempotent", handler, "again"],
    ["refused", "idempotent", handler, "failed"],
    ["unsettled", "idempotent", handler, "again"],
    ["done", "not idempotent", risky, "done"],
    ["not_done", "not idempotent", risky, "again"],
    ["refused", "not idempotent", risky, "failed"],
    ["unsettled", "not idempotent", risky, "unknown"],
    ["unsettled", "not idempotent, but can reconcile", asking, "reconcile"],
  ] as const)("that is %s, of a handler that is %s", (end, _, facts, result) => {
    const settled = settleCall(ends[end], facts, first);
    expect(settled === "reconcile" ? settled : settled.kind).toBe(result);
  });

  it("of an inverse is done only if its forward call can do nothing any more", () => {
    const early = { ...first, mayBeOvertaken: true };
    expect(settleCall(ends.done, { ...handler, voids: true }, early)).toMatchObject({ kind: "done" });
    expect(settleCall(ends.done, handler, early)).toMatchObject({ kind: "unknown" });
    expect(settleCall(ends.done, { ...handler, canReconcile: true }, early)).toBe("reconcile");
    expect(settleCall(ends.done, handler, first)).toMatchObject({ kind: "done" });
  });

  it("backs off with full jitter, no sooner than asked, and gives up at the last attempt", () => {
    const at = (tried: number, chance: number): unknown =>
      settleCall(ends.unsettled, handler, { ...first, tried, chance });
    expect(at(1, 0.5)).toMatchObject({ kind: "again", delay: 50 });
    expect(at(2, 0.5)).toMatchObject({ kind: "again", delay: 100 });
    expect(at(2, 0)).toMatchObject({ kind: "again", delay: 0 });
    expect(at(3, 0.5)).toMatchObject({ kind: "failed", error: expect.stringContaining("after 3 attempts") });
    const many = settleCall(ends.unsettled, { ...handler, attempts: 99 }, { ...first, tried: 60, chance: 0.999 });
    expect(many).toMatchObject({ kind: "again", delay: 9_990 });
    const asked = settleCall({ kind: "not_done", error: "429", delay: 3_000 }, handler, first);
    expect(asked).toMatchObject({ kind: "again", delay: 3_000 });
  });

  it.each([
    ["done", "done"],
    ["not_done", "again"],
    ["refused", "failed"],
    ["unsettled", "unknown"],
  ] as const)("that reconcile finds %s", (end, result) => {
    expect(settleReconciled(ends[end], asking, first).kind).toBe(result);
  });
});
