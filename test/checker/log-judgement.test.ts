import { describe, expect, test } from "vitest";
import { judge, type LoggedEffect } from "@seriatim/checker";
import { historyOf, key, logged, write } from "./logs.ts";

function effect(lane: string, left: number | null): LoggedEffect {
  return { name: "mail", lane, left };
}

/** It reads one key and writes another. */
function from(offset: number, read: string, version: number, wrote: string, effects: LoggedEffect[] = []) {
  return logged(offset, { points: [{ key: key(read), version }], writes: [write(wrote)], effects });
}

/** A read, as of the beginning, of what is not there. */
function absent(name: string) {
  return { snapshot: 0, points: [{ key: key(name), version: null }] };
}

/** In each of two partitions one agent writes, and another one sees nothing of it. */
function crossed(one: string, other: string) {
  return [
    logged(1, { agent: "a", writes: [write("x/1")] }),
    logged(2, { agent: "b", ...absent("x/1") }),
    logged(1, { partition: 1, agent: one, writes: [write("y/1")] }),
    logged(2, { partition: 1, agent: other, ...absent("y/1") }),
  ];
}

describe("what a judgement says besides the cycles", () => {
  test("nothing holds of a history that holds nothing", async () => {
    const { findings } = await judge(historyOf([]));
    expect(findings.serializable).toEqual({ answer: "undecided", reason: "the history holds no transaction" });
  });

  test("a transaction of unknown outcome leaves the rest undecided, unless it is violated already", async () => {
    const open = logged(2, { status: "indeterminate", writes: [write("bank/x")] });
    const sound = await judge(historyOf([logged(1), open]));
    expect(sound.findings.serializable?.answer).toBe("undecided");
    expect(sound.levels).toMatchObject({ reached: 0, undecided: true });
    const thin = await judge(historyOf([logged(1), open, logged(4, { points: [{ key: key("bank/x"), version: 3 }] })]));
    expect(thin.findings.serializable?.answer).toBe("violated");
  });

  test("an indeterminate transaction that was read is not out of thin air", async () => {
    const open = logged(1, { status: "indeterminate", writes: [write("bank/x")] });
    const reader = logged(2, { points: [{ key: key("bank/x"), version: 1 }] });
    const { counts, findings } = await judge(historyOf([open, reader]));
    expect(counts).toMatchObject({ thin_air: 0, G1a: 0 });
    expect(findings.serializable?.answer).toBe("undecided");
  });

  test("two versions from before the start say which came later", async () => {
    const stale = [from(11, "bank/x", 7, "bank/y"), from(12, "bank/x", 5, "bank/z")];
    const { findings, cycles, coverage } = await judge(historyOf(stale, { starts: new Map([[0, 10]]) }));
    expect(findings.serializable?.answer).toBe("holds");
    expect(findings.serializable_in_log_order?.answer).toBe("violated");
    expect(cycles).toEqual([]);
    expect(coverage.partitions).toEqual([{ partition: 0, start: 10, first: 11, last: 12, initialReads: 2 }]);
    expect(coverage.assumptions).toHaveLength(1);
  });

  test("a writer from before the start can be in a cycle", async () => {
    // 12 saw what is older than 7, and what 11 wrote after it had seen 7.
    const first = logged(11, { points: [{ key: key("bank/x"), version: 7 }], writes: [write("bank/y")] });
    const points = [
      { key: key("bank/x"), version: 5 },
      { key: key("bank/y"), version: 11 },
    ];
    const { findings, cycles } = await judge(
      historyOf([first, logged(12, { points })], { starts: new Map([[0, 10]]) }),
    );
    expect(findings.serializable?.answer).toBe("violated");
    expect(cycles[0]?.transactions.map(({ kind }) => kind)).toEqual(["logged", "logged", "outside"]);
  });

  test("effects of a lane must leave in the order of their commits", async () => {
    const inOrder = [
      logged(1, { effects: [effect("a", 4), effect("b", 1)] }),
      logged(2, { effects: [effect("a", 5)] }),
    ];
    expect((await judge(historyOf(inOrder))).levels).toMatchObject({ reached: 3, undecided: false, laneBreaks: 0 });
    const swapped = [logged(1, { effects: [effect("a", 4)] }), logged(2, { effects: [effect("a", 2)] })];
    expect((await judge(historyOf(swapped))).levels).toMatchObject({ reached: 2, undecided: false, laneBreaks: 1 });
    const unknown = historyOf(inOrder, { effectsKnown: false });
    expect((await judge(unknown)).levels).toMatchObject({ reached: 2, undecided: true });
  });

  test("what rests on a stale read cascades over any number of reads, until it is overwritten", async () => {
    const history = [
      logged(1, { writes: [write("bank/x")] }),
      logged(2, { writes: [write("bank/x")] }),
      from(3, "bank/x", 1, "bank/a"),
      from(4, "bank/a", 3, "bank/b"),
      from(5, "bank/b", 4, "bank/c", [effect("mail", 1)]),
      logged(6, { writes: [write("bank/b")] }),
      from(7, "bank/b", 6, "bank/d", [effect("mail", 2)]),
      logged(8, { ranges: [{ from: key("bank/a"), to: key("bank/b") }], effects: [effect("mail", 3)] }),
    ];
    const { levels } = await judge(historyOf(history));
    expect(levels).toMatchObject({ reached: 0, staleGenerations: 1, cascades: 2 });
  });

  test("a key found absent was seen before it came to be, though the snapshot holds it", async () => {
    // At level none a read may be older than the snapshot: of whichever absence this one was, it came before 4.
    const history = [
      logged(1, { writes: [write("bank/y")] }),
      logged(2, { writes: [write("bank/x")] }),
      logged(3, { writes: [{ ...write("bank/x"), deleted: true }] }),
      logged(4, { writes: [write("bank/x")] }),
      logged(5, { isolation: "none", points: [{ key: key("bank/x"), version: null }], writes: [write("bank/y")] }),
      logged(6, {
        isolation: "none",
        snapshot: 5,
        points: [{ key: key("bank/y"), version: 1 }],
        writes: [write("bank/x")],
      }),
    ];
    const { cycles, coverage } = await judge(historyOf(history));
    expect(cycles[0]?.dependencies).toContainEqual(
      expect.objectContaining({ kind: "rw", key: "bank/x", before: null, after: 4, change: "insert" }),
    );
    expect(coverage.assumptions).toHaveLength(1);
  });

  test("partitions are judged each by itself", async () => {
    const stale = logged(2, { partition: 1, snapshot: 0, points: [{ key: key("bank/x"), version: null }] });
    const { findings, counts } = await judge(
      historyOf([
        logged(1, { writes: [write("bank/x")] }),
        logged(1, { partition: 1, writes: [write("bank/x")] }),
        logged(2, { points: [{ key: key("bank/x"), version: 1 }] }),
        stale,
      ]),
    );
    expect(findings.serializable?.answer).toBe("holds");
    expect(findings.serializable_in_log_order?.answer).toBe("violated");
    expect(counts.stale_decision).toBe(1);
  });

  test("a history out of the order of its log is refused", async () => {
    await expect(judge(historyOf([logged(5), logged(5)]))).rejects.toThrow("offset 5 stands after offset 5");
  });

  test("cycles name who, which key, which range and which versions", async () => {
    const range = { from: key("credits/a"), to: key("credits/z") };
    const { cycles } = await judge(
      historyOf([
        logged(1, { writes: [write("credits/b")] }),
        logged(2, { snapshot: 1, ranges: [range], writes: [write("credits/c")] }),
        logged(3, { snapshot: 1, ranges: [range], writes: [write("credits/b")] }),
      ]),
    );
    expect(cycles).toHaveLength(1);
    expect(cycles[0]).toMatchObject({ anomaly: "G2", component: 2, minimal: true });
    // The version that the range held of credits/b stands before what is read again, and is not known.
    expect(cycles[0]?.dependencies).toEqual([
      expect.objectContaining({ kind: "rw", key: "credits/b", range, before: null, after: 3, change: "update" }),
      expect.objectContaining({ kind: "rw", key: "credits/c", range, before: null, after: 2, change: "insert" }),
    ]);
  });

  test("what an agent did in several partitions has no order in any log", async () => {
    const starts = new Map([0, 1].map((partition) => [partition, 0]));
    const answers = async (one: string, other: string) => {
      const { findings } = await judge(historyOf(crossed(one, other), { starts }), { session: true, realTime: true });
      return [findings.serializable, findings.strong_session_serializable, findings.strict_serializable].map(
        (finding) => finding?.answer,
      );
    };
    expect(await answers("b", "a")).toEqual(["holds", "undecided", "holds"]);
    expect(await answers("c", "d")).toEqual(["holds", "holds", "holds"]);
  });
});
