import { describe, expect, test } from "vitest";
import { beforeGenesis, encodeGenesis, justAfter, leastVerdictBytes, sha256, toKey } from "@seriatim/protocol";
import type { Bytes, Cancel, Hold, Intent, InvalidReason, Limits, Outcome, Submit } from "@seriatim/protocol";
import { decide, evolve, initialState } from "../../services/sequencer/src/core/index.ts";
import {
  cancel,
  conflict,
  expire,
  genesisOf,
  hold,
  otherSpace,
  Partition,
  point,
  range,
  refusal,
  submit,
  write,
} from "./partition.ts";

function partitionOf(limits: Partial<Limits> = {}, partitions = 1, number = 0): Partition {
  return new Partition(genesisOf(partitions, { window: 100, ...limits }), number);
}

/** A partition in which each of `writes` stands at the offset of its place, from 1 on. */
function withWrites(...writes: string[]): Partition {
  const partition = partitionOf();
  for (const key of writes)
    partition.append(submit({ id: `w${partition.next}`, snapshot: partition.next - 1, writes: [write(key)] }));
  return partition;
}

const repeated = (first: number): Outcome => ({ kind: "repeated", first });
const isConflict = (...conflicts: ReturnType<typeof conflict>[]): Outcome => refusal({ code: "conflict", conflicts });

describe("a verdict", () => {
  test("names its record and its predecessor, and the genesis comes first (invariant 3)", () => {
    const partition = partitionOf();
    const bytes = partition.rules.codec.encodeIntent(submit());
    partition.append(bytes);
    const [genesis, verdict] = partition.verdicts;
    expect(genesis).toMatchObject({ offset: 0, predecessor: beforeGenesis, id: null, agent: null, time: 1_000 });
    expect(genesis?.outcome).toEqual({ kind: "genesis", genesis: encodeGenesis(partition.rules.genesis) });
    expect(verdict).toMatchObject({
      offset: 1,
      predecessor: { offset: 0, chain: genesis?.chain },
      digest: sha256(bytes),
      id: "id",
      agent: "agent",
      outcome: { kind: "committed", writes: [], effects: [], holds: [], result: null },
    });
  });

  test("repeats the writes, effects and result of what committed, and whether a write was blind no more", () => {
    const effects = [{ name: "mail", lane: "post", arguments: Buffer.from("x") }];
    const result = Buffer.from("done");
    const writes = [write("a/x", "1", true), write("a/y", null)];
    expect(partitionOf().outcomeOf(submit({ writes, effects, result }))).toEqual({
      kind: "committed",
      writes: writes.map(({ key, value }) => ({ key, value })),
      effects,
      holds: [],
      result,
    });
  });

  test("carries the highest append time so far, though the log's clock steps back (invariant 1)", () => {
    const partition = partitionOf();
    for (const time of [5_000, 4_000, 6_000]) {
      partition.setClock(time);
      partition.append(Buffer.from("not a record"));
    }
    expect(partition.verdicts.map(({ time }) => time)).toEqual([1_000, 5_000, 5_000, 6_000]);
  });

  test("has neither id nor agent where they cannot be read or repeated", () => {
    const partition = partitionOf({ nameBytes: 16 });
    const long = "é".repeat(9);
    for (const what of [Buffer.from("?"), submit({ id: long }), submit({ agent: long }), cancel({ id: "", agent: "" })])
      partition.append(what);
    const [, ...verdicts] = partition.verdicts;
    expect(verdicts.map(({ id, agent }) => [id, agent])).toEqual([
      [null, null],
      [null, "agent"],
      ["id", null],
      [null, null],
    ]);
  });

  test("is a defect where the caller broke the order", () => {
    const partition = partitionOf();
    const { rules, state } = partition;
    const bytes = encodeGenesis(rules.genesis);
    const record = { offset: 0, appendTime: 0, bytes, digest: sha256(bytes) };
    expect(() => decide(rules, 0, state.head, state, record)).toThrow("follows the head");
    const empty = initialState(100);
    const garbage = Buffer.from("?");
    const first = { ...record, bytes: garbage, digest: sha256(garbage) };
    expect(() => decide(rules, 0, empty.head, empty, first)).toThrow("genesis");

    const next = decide(rules, 0, state.head, state, { ...record, offset: 1 }).verdict;
    evolve(state, next);
    expect(() => evolve(state, next)).toThrow("follows the head");
  });
});

describe("isolation (invariant 5)", () => {
  const reads: Partial<Submit> = { points: [point("a/x")], ranges: [range("a/", "a0")] };
  test.each([
    ["serializable", reads, isConflict(conflict("point", "a/x", 1), conflict("range", "a/y", 2))],
    ["serializable", { writes: [write("a/y")] }, isConflict(conflict("write", "a/y", 2))],
    ["serializable", { writes: [write("a/y", "v", true)] }, "committed"],
    ["snapshot", reads, "committed"],
    ["snapshot", { ...reads, writes: [write("a/x")] }, isConflict(conflict("write", "a/x", 1))],
    ["snapshot", { writes: [write("a/x", "v", true)] }, "committed"],
    ["none", { ...reads, writes: [write("a/x")] }, "committed"],
  ] as const)("%s, %j", (isolation, parts, outcome) => {
    const partition = withWrites("a/x", "a/y");
    expect(partition.outcomeOf(submit({ isolation, ...parts, snapshot: 0 }))).toMatchObject(
      outcome === "committed" ? { kind: outcome } : outcome,
    );
  });

  test("what is at the snapshot is no conflict, what is just above it is one", () => {
    const partition = withWrites("a/x", "a/x");
    expect(partition.outcomeOf(submit({ id: "1", snapshot: 2, points: [point("a/x", 2)] })).kind).toBe("committed");
    expect(partition.outcomeOf(submit({ id: "2", snapshot: 1, points: [point("a/x", 1)] }))).toEqual(
      isConflict(conflict("point", "a/x", 2)),
    );
  });

  test("created and deleted since the snapshot is a change, and so is deleted and created anew", () => {
    const partition = withWrites("a/x");
    partition.append(submit({ id: "d", snapshot: 1, writes: [write("a/x", null)] }));
    expect(partition.outcomeOf(submit({ id: "1", snapshot: 0, points: [point("a/x")] }))).toEqual(
      isConflict(conflict("point", "a/x", 2)),
    );
    expect(partition.outcomeOf(submit({ id: "2", snapshot: 1, ranges: [range("a/x", "a/y")] }))).toEqual(
      isConflict(conflict("range", "a/x", 2)),
    );
  });

  test("writes made at any level, blind ones too, are seen by the others", () => {
    const partition = partitionOf();
    partition.append(submit({ id: "n", isolation: "none", writes: [write("a/x", "v", true)] }));
    expect(partition.outcomeOf(submit({ points: [point("a/x")] }))).toEqual(isConflict(conflict("point", "a/x", 1)));
  });

  test("refused intents write nothing", () => {
    const partition = withWrites("a/x");
    partition.append(submit({ id: "r", points: [point("a/x")], writes: [write("a/y")] }));
    expect(partition.outcomeOf(submit({ points: [point("a/y")] })).kind).toBe("committed");
  });
});

describe("conflicts (invariant 8)", () => {
  test("come in read-set order, then write order, each key once", () => {
    const partition = withWrites("a/p2", "a/p1", "a/r2", "a/r1", "a/q", "a/w");
    const intent = submit({
      points: [point("a/p2"), point("a/p1")],
      ranges: [range("a/q", "a/s"), range("a/p", "a/r")],
      writes: [write("a/w"), write("a/p1"), write("a/r1")],
    });
    expect(partition.outcomeOf(intent)).toEqual(
      isConflict(
        conflict("point", "a/p2", 1),
        conflict("point", "a/p1", 2),
        conflict("range", "a/q", 5),
        conflict("range", "a/r1", 4),
        conflict("range", "a/r2", 3),
        conflict("write", "a/w", 6),
      ),
    );
  });

  test("in a range stand in the order of their UTF-8 bytes, which is not that of UTF-16", () => {
    const partition = withWrites("a/\u{1f600}", "a/\uff5a");
    expect(partition.outcomeOf(submit({ ranges: [range("a/", "a0")] }))).toEqual(
      isConflict(conflict("range", "a/\uff5a", 2), conflict("range", "a/\u{1f600}", 1)),
    );
  });

  test("are capped, and a range still names its own up to the cap when points have named some of them", () => {
    const partition = partitionOf({ conflicts: 3 });
    for (const key of ["a/1", "a/2", "a/3", "a/4"])
      partition.append(submit({ id: key, isolation: "none", writes: [write(key)] }));
    expect(partition.outcomeOf(submit({ points: [point("a/1"), point("a/2")], ranges: [range("a/", "a0")] }))).toEqual(
      isConflict(conflict("point", "a/1", 1), conflict("point", "a/2", 2), conflict("range", "a/3", 3)),
    );
  });
});

describe("ids (invariant 6)", () => {
  test.each<[string, Submit | Cancel, Submit | Cancel, Outcome]>([
    ["the same bytes again", submit(), submit(), repeated(1)],
    ["other bytes", submit(), submit({ agent: "other" }), refusal({ code: "id_reused", first: 1 })],
    ["a cancel after a submit", submit(), cancel(), repeated(1)],
    ["a submit after a cancel", cancel(), submit(), refusal({ code: "cancelled", first: 1 })],
    ["a cancel again", cancel(), cancel(), repeated(1)],
    ["another's cancel", cancel(), cancel({ agent: "other" }), repeated(1)],
    ["a cancel first", submit({ id: "another" }), cancel(), { kind: "cancelled" }],
    ["after not_in_time", submit({ validUntil: 0 }), submit(), refusal({ code: "id_reused", first: 1 })],
    ["after invalid", submit({ writes: [write("a/x"), write("a/x")] }), cancel(), { kind: "cancelled" }],
  ])("%s", (_, first, second, outcome) => {
    const partition = partitionOf();
    partition.append(first);
    expect(partition.outcomeOf(second)).toEqual(outcome);
  });

  test("a conflict claims the id, too_old does not", () => {
    const partition = withWrites("a/x");
    partition.append(submit({ points: [point("a/x")] }));
    expect(partition.outcomeOf(submit({ points: [point("a/x")] }))).toEqual(repeated(2));
    partition.skipTo(150);
    expect(partition.outcomeOf(submit({ id: "old" }))).toEqual(refusal({ code: "too_old" }));
    expect(partition.outcomeOf(cancel({ id: "old", snapshot: 100 }))).toEqual({ kind: "cancelled" });
  });
});

describe("holds", () => {
  const held: Outcome = {
    kind: "held",
    index: 0,
    name: "reserve",
    arguments: Buffer.from("{}"),
    undo: "release",
    deadline: 1_500,
    timeout: 100,
  };

  test("stand until log time has passed the lease, and leave their id to a submit", () => {
    const partition = partitionOf();
    expect(partition.outcomeOf(hold())).toEqual(held);
    expect(partition.outcomeOf(hold({ index: 1, undo: null }))).toEqual({ ...held, index: 1, undo: null });
    expect(partition.outcomeOf(submit({ holds: [1, 2] }))).toMatchObject({ kind: "committed", holds: [1, 2] });
  });

  test.each<[string, Intent, Outcome]>([
    ["the same bytes again", hold(), repeated(1)],
    ["the same index, other bytes", hold({ attempt: "other" }), refusal({ code: "id_reused", first: 1 })],
    ["another index", hold({ index: 1 }), { ...held, index: 1 }],
    ["another id", hold({ id: "another" }), held],
    ["a cancel", cancel(), { kind: "cancelled" }],
    ["an expire in time", expire(), refusal({ code: "not_expired" })],
    ["an expire of another id", expire({ id: "another" }), refusal({ code: "no_hold" })],
  ])("then %s", (_, next, outcome) => {
    const partition = partitionOf();
    partition.append(hold());
    expect(partition.outcomeOf(next)).toEqual(outcome);
  });

  test.each<[string, Submit | Cancel]>([
    ["committed", submit()],
    ["refused", submit({ validUntil: 0 })],
    ["cancelled", cancel()],
  ])("after an id was %s: it holds nothing more, and what it held is answered as before", (_, closing) => {
    const partition = partitionOf();
    partition.append(hold());
    partition.append(closing);
    partition.setClock(5_000);
    expect(partition.outcomeOf(hold())).toEqual(repeated(1));
    expect(partition.outcomeOf(hold({ attempt: "other" }))).toEqual(refusal({ code: "id_reused", first: 1 }));
    expect(partition.outcomeOf(hold({ index: 1 }))).toEqual(refusal({ code: "closed", first: 2 }));
    expect(partition.outcomeOf(expire())).toEqual(repeated(2));
  });

  test("an expire counts from the deadline on, and closes the id for good", () => {
    const partition = partitionOf();
    partition.append(hold());
    partition.setClock(1_499);
    expect(partition.outcomeOf(expire())).toEqual(refusal({ code: "not_expired" }));
    partition.setClock(1_500);
    expect(partition.outcomeOf(expire())).toEqual({ kind: "expired" });
    expect(partition.outcomeOf(expire({ agent: "other" }))).toEqual(repeated(3));
    expect(partition.outcomeOf(cancel())).toEqual(repeated(3));
    expect(partition.outcomeOf(submit({ holds: [1] }))).toEqual(refusal({ code: "cancelled", first: 3 }));
    expect(partition.outcomeOf(hold({ index: 1 }))).toEqual(refusal({ code: "closed", first: 3 }));
  });

  test("what was refused holds nothing, and claims nothing either", () => {
    const partition = partitionOf();
    partition.append(cancel());
    expect(partition.outcomeOf(hold())).toEqual(refusal({ code: "closed", first: 1 }));
    expect(partition.outcomeOf(hold())).toEqual(refusal({ code: "closed", first: 1 }));
    expect(partition.outcomeOf(expire({ id: "another", hold: 2 }))).toEqual(refusal({ code: "no_hold" }));
    expect(partition.outcomeOf(submit({ id: "another" })).kind).toBe("committed");
  });

  test("are forgotten exactly when no admissible snapshot lies before them (invariant 7)", () => {
    const partition = partitionOf();
    partition.append(hold());
    partition.setClock(9_000);
    partition.skipTo(100);
    expect(partition.outcomeOf(hold())).toEqual(repeated(1));
    expect(partition.outcomeOf(hold())).toEqual(refusal({ code: "too_old" }));
    expect(partition.outcomeOf(expire())).toEqual(refusal({ code: "too_old" }));
    // Another's, on a snapshot above the first.
    expect(partition.outcomeOf(hold({ snapshot: 50, attempt: "other" }))).toMatchObject({ kind: "held" });
    expect(partition.outcomeOf(hold({ snapshot: 50 }))).toEqual(refusal({ code: "id_reused", first: 103 }));
  });
});

describe("the window (invariant 7)", () => {
  test("is counted in offsets, to the last one, and for cancels too", () => {
    for (const make of [submit, cancel, hold]) {
      const partition = partitionOf();
      partition.skipTo(100);
      expect(partition.outcomeOf(make({ id: "1", snapshot: 0 })).kind).not.toBe("refused");
      expect(partition.outcomeOf(make({ id: "2", snapshot: 0 }))).toEqual(refusal({ code: "too_old" }));
      expect(partition.outcomeOf(make({ id: "2", snapshot: 2 })).kind).not.toBe("refused");
    }
  });

  test("an id is forgotten exactly when no admissible snapshot lies before its claim", () => {
    const partition = partitionOf();
    partition.append(submit());
    partition.skipTo(100);
    expect(partition.outcomeOf(submit({ agent: "other", snapshot: 50 }))).toEqual(
      refusal({ code: "id_reused", first: 1 }),
    );
    expect(partition.outcomeOf(submit({ agent: "other", snapshot: 50 })).kind).toBe("committed");
    expect(partition.outcomeOf(submit({ snapshot: 50 }))).toEqual(refusal({ code: "id_reused", first: 101 }));
  });
});

describe("validity intervals", () => {
  test.each([
    [{ validFrom: 1_000 }, "committed"],
    [{ validFrom: 1_001 }, "refused"],
    [{ validUntil: 1_001 }, "committed"],
    [{ validUntil: 1_000 }, "refused"],
    [{ validUntil: 1_000, isolation: "none" }, "refused"],
    [{ validUntil: 1_000, isolation: "snapshot" }, "refused"],
  ] as const)("%j at log time 1,000: %s", (parts, kind) => {
    const partition = partitionOf();
    partition.setClock(500);
    const outcome = partition.outcomeOf(submit(parts));
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === "refused") expect(outcome).toEqual(refusal({ code: "not_in_time" }));
  });
});

/** So that a verdict may be too large. */
const narrow = {
  effectBytes: 1_000,
  verdictBytes: leastVerdictBytes({ conflicts: 16, keyBytes: 512, nameBytes: 256, effectBytes: 1_000 }),
};

describe("precedence", () => {
  /** Each breaks one rule; an intent that breaks several is refused for the first. */
  const faults: readonly (readonly [Outcome, Partial<Submit>])[] = [
    [refusal({ reason: "bad_name" }), { agent: "" }],
    [refusal({ code: "too_old" }), { snapshot: 0 }],
    [refusal({ code: "id_reused", first: 100 }), { id: "w100" }],
    [refusal({ code: "not_in_time" }), { validUntil: 1 }],
    [isConflict(conflict("point", "a/x", 100)), { points: [point("a/x")] }],
    [refusal({ code: "too_large" }), { result: Buffer.alloc(50_000) }],
  ];
  test.each(faults.map((fault, index) => [fault[0].kind === "refused" ? fault[0].code : "", index] as const))(
    "%s comes before what follows it",
    (_, index) => {
      const partition = partitionOf(narrow);
      partition.skipTo(100);
      partition.append(submit({ id: "w100", snapshot: 99, writes: [write("a/x")] }));
      const parts = Object.assign(
        {},
        ...faults
          .slice(index)
          .map(([, fault]) => fault)
          .toReversed(),
      ) as Partial<Submit>;
      expect(partition.outcomeOf(submit({ snapshot: 50, ...parts }))).toEqual(faults[index]?.[0]);
    },
  );
});

/** An intent whose verdict is as much longer as `length` is. */
function withResult(length: number): Submit {
  return submit({ result: Buffer.alloc(length) });
}

test("a verdict may be as long as the limit, and not a byte longer", () => {
  const probe = partitionOf();
  const { chain: _, ...verdict } = probe.append(withResult(narrow.verdictBytes - 200));
  const rest = probe.rules.codec.encodeVerdict(verdict).bytes.length - (narrow.verdictBytes - 200);
  const longest = narrow.verdictBytes - rest;
  expect(partitionOf(narrow).outcomeOf(withResult(longest)).kind).toBe("committed");
  expect(partitionOf(narrow).outcomeOf(withResult(longest + 1))).toEqual(refusal({ code: "too_large" }));
});

test("a verdict on a hold fits, however long what it repeats", () => {
  const limits = { ...narrow, nameBytes: 256, conflicts: 1, effectBytes: 10_000 };
  const name = "n".repeat(256);
  const long = hold({ id: name, agent: name, name, undo: name, arguments: Buffer.alloc(10_000), attempt: name });
  const least = leastVerdictBytes({ ...limits, keyBytes: 512 });
  expect(partitionOf({ ...limits, verdictBytes: least }).outcomeOf(long).kind).toBe("held");
});

describe("invalid records (invariant 8)", () => {
  const x = point("a/x");
  const long = `a/${"x".repeat(19)}`;
  const mail = { name: "mail", lane: "post", arguments: Buffer.from("{}") };
  const small = {
    keyBytes: 20,
    nameBytes: 16,
    valueBytes: 5,
    resultBytes: 5,
    effectBytes: 8,
    points: 9,
    ranges: 1,
    writes: 9,
    holds: 2,
    leaseMs: 1_000,
  };
  const cases: readonly (readonly [InvalidReason, Partial<Submit>])[] = [
    ["other_space", { space: otherSpace, partition: 1 }],
    ["wrong_partition", { partition: 1, id: "" }],
    ["wrong_partition", { points: [point("b/x")] }],
    ["wrong_partition", { writes: [write("b/x")] }],
    ["wrong_partition", { ranges: [range("b/", "b0")] }],
    ["record_too_large", { result: Buffer.alloc(1_000), id: "" }],
    ["bad_name", { id: "", snapshot: -1 }],
    ["bad_name", { agent: "é".repeat(9) }],
    ["snapshot_not_before_record", { snapshot: -1, points: Array.from({ length: 10 }, () => x) }],
    ["snapshot_not_before_record", { snapshot: 1 }],
    ["too_many_points", { points: Array.from({ length: 10 }, () => x) }],
    ["too_many_ranges", { ranges: [range("a/", "a0"), range("a/", "a0")] }],
    ["too_many_writes", { writes: Array.from({ length: 10 }, () => write("a/x")) }],
    ["too_many_effects", { effects: [{ name: "", lane: "", arguments: Buffer.from("") }] }],
    ["too_many_holds", { holds: [2, 3, 4] }],
    ["result_too_large", { result: Buffer.alloc(6) }],
    ["bad_key", { points: [{ key: "a" as Bytes, version: 1 }] }],
    ["bad_key", { points: [point(long)] }],
    ["bad_key", { writes: [{ ...write("a/x"), key: "a/\xff" as Bytes }] }],
    ["key_repeated", { points: [x, point("a/y"), { ...x, version: 1 }] }],
    ["key_repeated", { writes: [write("a/x"), write("a/y"), write("a/x", null)] }],
    ["point_above_snapshot", { points: [point("a/x", 1)] }],
    ["bad_range", { ranges: [range("a/x", "a/x")] }],
    ["bad_range", { ranges: [range("a/y", "a/x")] }],
    ["bad_range", { ranges: [{ from: toKey("a/x"), to: justAfter(toKey(`${long}x`)) }] }],
    ["partition_keys", { points: [x, point("b/x")] }],
    ["partition_keys", { points: [x], writes: [write("b/x")] }],
    ["partition_keys", { ranges: [range("a/", "b/")] }],
    ["partition_keys", { ranges: [range("", "\x7f")] }],
    ["value_too_large", { writes: [write("a/x", "123456")] }],
    ["bad_effect", { effects: [{ ...mail, name: "" }] }],
    ["bad_effect", { effects: [{ ...mail, lane: "" }] }],
    ["bad_effect", { effects: [{ ...mail, lane: "é".repeat(9) }] }],
    ["effect_too_large", { effects: [{ ...mail, arguments: Buffer.alloc(9) }] }],
    ["bad_hold", { holds: [0] }],
    ["bad_hold", { holds: [1] }],
  ];
  test.each(cases)("%s: %j", (reason, parts) => {
    const limits = { ...small, recordBytes: 1_000, effects: reason === "too_many_effects" ? 0 : 1 };
    // Among three partitions, `a` belongs to 1 and `b` to 2.
    const partition = partitionOf(limits, 3, 1);
    const ours = parts.partition === undefined ? { ...parts, partition: 1 } : { ...parts, partition: 2 };
    const outcome = partition.outcomeOf(submit(ours));
    expect(outcome).toEqual(refusal({ reason }));
    // The partition goes on.
    expect(partition.outcomeOf(submit({ partition: 1, snapshot: 1 })).kind).toBe("committed");
  });

  test.each<[InvalidReason, Partial<Hold>]>([
    ["bad_name", { attempt: "" }],
    ["bad_name", { attempt: "é".repeat(9), index: 2 }],
    ["snapshot_not_before_record", { snapshot: 1, attempt: "" }],
    ["too_many_holds", { index: 2, name: "" }],
    ["bad_effect", { name: "", arguments: Buffer.alloc(9) }],
    ["bad_effect", { undo: "" }],
    ["bad_effect", { undo: "é".repeat(9) }],
    ["effect_too_large", { arguments: Buffer.alloc(9), lease: 0 }],
    ["bad_hold", { index: -1 }],
    ["bad_hold", { lease: 1_001 }],
    ["bad_hold", { lease: 100, timeout: 100 }],
    ["bad_hold", { timeout: 0 }],
  ])("%s: a hold with %j", (reason, parts) => {
    expect(partitionOf(small).outcomeOf(hold(parts))).toEqual(refusal({ reason }));
  });

  test("bad_hold: an expire that names no place between its snapshot and its own", () => {
    for (const parts of [{ hold: 0 }, { hold: 1 }, { hold: -1 }, { hold: 2, snapshot: 0 }])
      expect(partitionOf().outcomeOf(expire(parts))).toEqual(refusal({ reason: "bad_hold" }));
  });

  test("bad_hold: holds confirmed out of order, or twice", () => {
    const partition = partitionOf();
    partition.skipTo(10);
    for (const holds of [[3, 2], [2, 2], [99]])
      expect(partition.outcomeOf(submit({ snapshot: 1, holds }))).toEqual(refusal({ reason: "bad_hold" }));
    expect(partition.outcomeOf(submit({ snapshot: 1, holds: [2, 3] }))).toMatchObject({ holds: [2, 3] });
  });

  test("a key twice is found among many, too", () => {
    const keys = Array.from({ length: 20 }, (_, index) => `a/${index}`);
    const intent = submit({ points: [...keys, "a/7"].map((key) => point(key)) });
    expect(partitionOf().outcomeOf(intent)).toEqual(refusal({ reason: "key_repeated" }));
    expect(partitionOf().outcomeOf(submit({ points: keys.map((key) => point(key)) })).kind).toBe("committed");
  });

  test("a bound may be one byte longer than a key, and a space of one partition may allow ranges over all keys", () => {
    const partition = partitionOf({ keyBytes: 20, partitionKeys: 0 });
    const last = toKey(`a/${"x".repeat(18)}`);
    const ranges = [
      { from: last, to: justAfter(last) },
      { from: "" as Bytes, to: "\xff" as Bytes },
    ];
    expect(partition.outcomeOf(submit({ ranges, writes: [write("b/y"), write("c/z")] })).kind).toBe("committed");
  });

  test("a second genesis, garbage, and a record cut short", () => {
    const partition = partitionOf();
    const bytes = partition.rules.codec.encodeIntent(submit({ writes: [write("a/x")] }));
    expect(partition.outcomeOf(encodeGenesis(partition.rules.genesis))).toEqual(
      refusal({ reason: "genesis_repeated" }),
    );
    expect(partition.outcomeOf(Buffer.from("garbage"))).toEqual(refusal({ reason: "not_a_record" }));
    expect(partition.outcomeOf(bytes.slice(0, -1))).toEqual(refusal({ reason: "undecodable" }));
  });
});
