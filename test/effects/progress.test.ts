/* Every state of an effect with every record that the effects log may hold: a table without a hole. */
import type { EffectAct, EffectRecord, EffectResult } from "@seriatim/protocol";
import { createGenesis, sha256 } from "@seriatim/protocol";
import { describe, expect, it } from "vitest";
import { apply, noProgress, type EffectState, type Progress } from "../../services/effects-worker/src/core/index.ts";

const base = {
  space: createGenesis({ partitions: 1 }).space,
  partition: 0,
  effect: { offset: 5, index: 0, side: "forward" },
  arguments: sha256(Buffer.from("{}")),
} as const;

const claim = (attempt: number): EffectRecord => ({ kind: "claim", ...base, attempt, worker: `worker-${attempt}` });
const report = (on: number | null, result: EffectResult): EffectRecord => {
  return { kind: "report", ...base, claim: on, worker: "worker", result };
};
const decision = (act: EffectAct): EffectRecord => ({ kind: "decision", ...base, act, who: "ops", why: "seen" });

const done: EffectResult = { kind: "done", result: Buffer.from("1") };
const again: EffectResult = { kind: "again", error: "away", delay: 5 };
const failed: EffectResult = { kind: "failed", error: "refused" };
const unknown: EffectResult = { kind: "unknown", error: "lost" };

/** Claims of attempts 1 and 2 stand at 10 and 11; a claim that lost at 12; what comes next stands at 20. */
const twice: readonly (readonly [number, EffectRecord])[] = [
  [10, claim(1)],
  [11, claim(2)],
  [12, claim(2)],
];

const states = {
  fresh: [],
  "tried in vain": [...twice, [13, report(11, again)]],
  claimed: twice,
  done: [...twice, [13, report(11, done)]],
  failed: [...twice, [13, report(11, failed)]],
  unknown: [...twice, [13, report(11, unknown)]],
  dropped: [...twice, [13, decision("drop")]],
} satisfies Record<string, readonly (readonly [number, EffectRecord])[]>;

const events = {
  "the next attempt's claim": (at) => claim(at.attempt + 1),
  "a claim of the last attempt": (at) => claim(at.attempt),
  "a claim too far ahead": (at) => claim(at.attempt + 2),
  "done, by the newest claim": () => report(11, done),
  "done, by an older claim": () => report(10, done),
  "done, by a claim that lost": () => report(12, done),
  "again, by the newest claim": () => report(11, again),
  "again, by an older claim": () => report(10, again),
  "failed, by the newest claim": () => report(11, failed),
  "failed, by an older claim": () => report(10, failed),
  "unknown, by the newest claim": () => report(11, unknown),
  "unknown, by an older claim": () => report(10, unknown),
  "an agent's own report": () => report(null, done),
  retry: () => decision("retry"),
  resolve: () => decision("resolve"),
  drop: () => decision("drop"),
} satisfies Record<string, (at: Progress) => EffectRecord>;

type Row = Record<keyof typeof states, EffectState>;

/** What does not claim or report anything that counts. */
const nothing: Row = {
  fresh: "pending",
  "tried in vain": "pending",
  claimed: "claimed",
  done: "done",
  failed: "failed",
  unknown: "unknown",
  dropped: "dropped",
};

/** Where no claim stands, the claims that reports name are none. */
const expected: Record<keyof typeof events, Row> = {
  "the next attempt's claim": { ...nothing, fresh: "claimed", "tried in vain": "claimed", unknown: "claimed" },
  "a claim of the last attempt": nothing,
  "a claim too far ahead": nothing,
  "done, by the newest claim": {
    ...nothing,
    "tried in vain": "done",
    claimed: "done",
    failed: "done",
    unknown: "done",
    dropped: "done",
  },
  "done, by an older claim": {
    ...nothing,
    "tried in vain": "done",
    claimed: "done",
    failed: "done",
    unknown: "done",
    dropped: "done",
  },
  "done, by a claim that lost": nothing,
  "again, by the newest claim": { ...nothing, claimed: "pending" },
  "again, by an older claim": nothing,
  "failed, by the newest claim": { ...nothing, claimed: "failed" },
  "failed, by an older claim": nothing,
  "unknown, by the newest claim": { ...nothing, claimed: "unknown" },
  "unknown, by an older claim": nothing,
  "an agent's own report": nothing,
  retry: { ...nothing, failed: "pending", unknown: "pending", dropped: "pending" },
  resolve: {
    fresh: "done",
    "tried in vain": "done",
    claimed: "done",
    done: "done",
    failed: "done",
    unknown: "done",
    dropped: "done",
  },
  drop: {
    fresh: "dropped",
    "tried in vain": "dropped",
    claimed: "dropped",
    done: "done",
    failed: "dropped",
    unknown: "dropped",
    dropped: "dropped",
  },
};

function progressIn(state: keyof typeof states): Progress {
  const records: readonly (readonly [number, EffectRecord])[] = states[state];
  return records.reduce((progress, [offset, record]) => apply(progress, record, offset), noProgress);
}

const names = Object.keys(states) as (keyof typeof states)[];

describe.each(names)("an effect that is %s", (state) => {
  it.each(Object.keys(events) as (keyof typeof events)[])("with %s", (event) => {
    const before = progressIn(state);
    const after = apply(before, events[event](before), 20);
    expect(after.state).toBe(expected[event][state]);
    expect(after.applied).toBe(20);
    // A claim that is void leaves no trace, and none is lost.
    expect(after.claims.length).toBe(after.attempt);
    expect(after.attempt - before.attempt).toBe(
      event === "the next attempt's claim" && after.state === "claimed" ? 1 : 0,
    );
  });

  it("takes no record twice", () => {
    const before = progressIn(state);
    expect(apply(before, decision("drop"), before.applied)).toBe(before);
  });
});

describe("doubt", () => {
  it("begins with a take-over, and ends when somebody says that nothing happened", () => {
    expect(progressIn("claimed").inDoubt).toBe(true);
    expect(apply(noProgress, claim(1), 10).inDoubt).toBe(false);
    expect(progressIn("tried in vain").inDoubt).toBe(false);
    expect(apply(progressIn("unknown"), claim(3), 20).inDoubt).toBe(true);
    expect(apply(progressIn("unknown"), decision("retry"), 20).inDoubt).toBe(false);
  });
});

function own(progress: Progress): unknown {
  return progress.own?.outcome;
}

describe("an agent's own call", () => {
  it("is done whenever it says so, and stays so", () => {
    const lost = apply(noProgress, report(null, unknown), 10);
    expect(own(lost)).toBe("unknown");
    const found = apply(lost, report(null, done), 11);
    expect(own(found)).toBe("done");
    expect(own(apply(found, report(null, failed), 12))).toBe("done");
  });

  it("says nothing by trying again", () => {
    expect(own(apply(noProgress, report(null, again), 10))).toBeUndefined();
  });
});
