import type { Item } from "@seriatim/client";
import type { Pair } from "./judge.ts";
import type { Seen } from "./testimony.ts";

function withSeen({ testimony, commit }: Pair, change: (seen: Seen) => Seen): Pair {
  return { commit, testimony: { ...testimony, seen: testimony.seen.map(change) } };
}

function withRows(pair: Pair, kind: "get" | "scan", change: (rows: readonly Item[]) => readonly Item[]): Pair {
  return withSeen(pair, (seen) =>
    seen.kind === kind && seen.got !== null ? { ...seen, got: change(seen.got) } : seen,
  );
}

function withIntent({ testimony, commit }: Pair, change: Partial<Pair["commit"]["intent"]>): Pair {
  return { testimony, commit: { ...commit, intent: { ...commit.intent, ...change } } };
}

/** What must not go unnoticed where it changes anything. */
export const damages: Readonly<Record<string, (pair: Pair) => Pair>> = {
  "that a value was another one": (pair) =>
    withRows(pair, "get", (rows) => rows.map(({ key }) => ({ key, value: "made up" }))),
  "that a row was left out": (pair) => withRows(pair, "scan", (rows) => rows.slice(1)),
  "that a row came twice": (pair) => withRows(pair, "scan", (rows) => [...rows.slice(0, 1), ...rows]),
  "that a count was higher": (pair) =>
    withSeen(pair, (seen) => (seen.kind === "count" ? { ...seen, got: seen.got + 1 } : seen)),
  "that a read is not recorded": (pair) => withIntent(pair, { points: [], ranges: [] }),
  "that a range is recorded in part": (pair) =>
    withIntent(pair, { ranges: pair.commit.intent.ranges.map(({ from }) => ({ from, to: from })) }),
  "that a point is recorded at another version": (pair) =>
    withIntent(pair, { points: pair.commit.intent.points.map(({ key }) => ({ key, version: -2 })) }),
  "that something else was written": (pair) => withIntent(pair, { writes: [] }),
  "that it was read at another snapshot": (pair) => withIntent(pair, { snapshot: pair.commit.intent.snapshot - 3 }),
  "that something had been overwritten": ({ testimony, commit }) => ({
    testimony,
    commit: { ...commit, offset: commit.offset + 1_000 },
  }),
};
