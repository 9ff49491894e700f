import { createGenesis, encodeGenesis, isFailure, spaceName, type Verdict } from "@seriatim/protocol";
import { newest, View } from "@seriatim/view";
import { describe, expect, it } from "vitest";
import { Chain, commit, digestOf, foldInto, key, openFile, openView, read, refuse, temporaryPath } from "./fixture.ts";

const twoKeys = [{ "a/x": "1" }, { "a/x": "2", "a/y": "1" }, { "a/y": null }];

describe("fold", () => {
  it("applies linked verdicts and moves the position with the data", async () => {
    const opened = await openView();
    const chain = new Chain();
    const verdicts = chain.run(...twoKeys);
    expect(opened.view.position(0)).toMatchObject({ offset: -1, next: 0, seen: -1, time: 0 });
    expect(opened.view.applied(0)).toBe(-1);
    const result = await foldInto(opened, read(verdicts, 10));
    expect(result).toMatchObject({ repeats: 0, gaps: 0, foreign: 0, unreadable: 0 });
    expect(result.applied).toEqual(verdicts);
    expect(opened.view.position(0)).toEqual(result.position);
    expect(opened.view.applied(0)).toBe(3);
    expect(result.position).toEqual({
      ...chain.head,
      digest: digestOf("record 0/3"),
      time: 1004,
      next: 14,
      seen: 3,
      skipped: 0,
    });
    expect(opened.view.scan({ from: key("a/a"), to: key("a/z") }, newest, { limit: 9 })).toEqual([
      { key: "a/x", version: 2, value: Buffer.from("2") },
    ]);
  });

  it("counts repeats, and the first verdict for an offset stays whatever a later one says", async () => {
    const opened = await openView();
    const chain = new Chain();
    const verdicts = chain.run({ "a/x": "1" }, { "a/x": "2" });
    await foldInto(opened, read(verdicts));
    const other = new Chain({ genesis: chain.genesis });
    const forged = other.run({ "a/x": "forged" }, { "a/x": "forged" });
    const result = await foldInto(opened, read([...verdicts, ...forged], 3));
    expect(result).toMatchObject({ repeats: 6, applied: [], position: { offset: 2, next: 9, skipped: 0 } });
    expect(opened.view.get(key("a/x"), newest)).toMatchObject({ version: 2, value: Buffer.from("2") });
  });

  it("skips a verdict with a missing predecessor, and applies healed copies (case 33, invariant 3)", async () => {
    const opened = await openView();
    const [genesis, one, two, three] = new Chain().run(...twoKeys);
    const lossy = await foldInto(opened, read([genesis, one, three]));
    expect(lossy).toMatchObject({ gaps: 1, position: { offset: 1, next: 3, seen: 3, skipped: 1 } });
    expect(opened.view.version(key("a/x"), newest)).toBe(1);
    const healed = await foldInto(opened, read([two, three], 3));
    expect(healed).toMatchObject({ gaps: 0, repeats: 0, position: { offset: 3, next: 5, seen: 3, skipped: 0 } });
    expect(opened.view.get(key("a/y"), newest)).toBeUndefined();
  });

  it("does not apply a verdict with the right predecessor's offset and another chain hash", async () => {
    const opened = await openView();
    const chain = new Chain();
    const other = new Chain({ genesis: chain.genesis });
    await foldInto(opened, read(chain.run({ "a/x": "1" })));
    other.run({ "a/x": "forged" });
    const result = await foldInto(opened, read([other.next(commit({ "a/x": "2" }))], 2));
    expect(result).toMatchObject({ gaps: 1, applied: [], position: { offset: 1, seen: 2 } });
  });

  it("follows links over holes in the intents log", async () => {
    const opened = await openView();
    const chain = new Chain();
    const verdicts = [chain.found(), chain.next(commit({ "a/x": "1" }), {}, 5)];
    expect(await foldInto(opened, read(verdicts))).toMatchObject({ gaps: 0, position: { offset: 6 } });
  });

  it("counts what cannot be read and goes on", async () => {
    const opened = await openView();
    const [genesis, one, two] = new Chain().run({ "a/x": "1" }, { "a/x": "2" });
    const torn = await foldInto(opened, read([genesis, undefined, one]));
    expect(torn).toMatchObject({ unreadable: 1, position: { offset: 1, next: 3, skipped: 0 } });
    const end = await foldInto(opened, read([undefined, undefined], 3));
    expect(end).toMatchObject({ unreadable: 2, position: { offset: 1, next: 5, skipped: 2 } });
    expect(await foldInto(opened, read([two], 5))).toMatchObject({ position: { offset: 2, skipped: 0 } });
  });

  it("never applies a verdict of another space or partition", async () => {
    const opened = await openView();
    const chain = new Chain();
    const elsewhere = new Chain({ genesis: chain.genesis, partition: 1 }).run({ "b/x": "1" });
    const foreign = new Chain().run({ "a/x": "foreign" });
    await foldInto(opened, read([chain.found()]));
    const result = await foldInto(opened, read([...foreign, ...elsewhere, chain.next(commit({ "a/x": "1" }))], 1));
    expect(result).toMatchObject({ foreign: 4, gaps: 0, position: { offset: 1, next: 6 } });
    expect(opened.view.position(1).offset).toBe(-1);
  });

  it("begins with a genesis only, and only with that of the space it is bound to", async () => {
    const opened = await openView();
    const chain = new Chain();
    const foreign = new Chain();
    await opened.file.transaction(() => opened.view.bind(encodeGenesis(chain.genesis)));
    const headless = chain.next(commit({ "a/x": "1" }));
    const result = await foldInto(opened, read([headless, foreign.found()]));
    expect(result).toMatchObject({ foreign: 2, applied: [], position: { offset: -1, next: 2 } });
    expect(await foldInto(opened, read([new Chain(chain).found()], 2))).toMatchObject({ position: { offset: 0 } });
  });

  it("keeps partitions apart in one view", async () => {
    const opened = await openView();
    const genesis = createGenesis({ partitions: 3, limits: { partitionKeys: 1 } });
    const chains = [0, 1, 2].map((partition) => new Chain({ genesis, partition }));
    for (const chain of chains) {
      const verdicts = chain.run({ [`k${chain.partition}/x`]: "1" }, { [`k${chain.partition}/y`]: "1" });
      await foldInto(opened, read(verdicts), chain.partition);
    }
    for (const { partition, head } of chains) {
      expect(opened.view.position(partition)).toMatchObject(head);
      expect(opened.view.changes(partition, -1, newest)).toEqual([
        { key: `k${partition}/x`, version: 1 },
        { key: `k${partition}/y`, version: 2 },
      ]);
      expect(opened.view.decisionOf("id-2", partition)).toMatchObject({ partition, offset: 2 });
      expect(opened.view.history(key(`k${partition}/x`))).toMatchObject([{ partition, version: 1, id: "id-1" }]);
    }
    expect(opened.view.newestIn({ from: key("k0/a"), to: key("k3/a") }, 1, 2)).toEqual([
      { key: "k0/y", version: 2 },
      { key: "k1/y", version: 2 },
    ]);
  });

  it("leaves position and data agreeing after a crash in its middle (invariant 9)", async () => {
    const path = temporaryPath();
    const verdicts = new Chain().run(...twoKeys);
    const { file, view } = await openView(path);
    await foldInto({ file, view }, read(verdicts.slice(0, 2)));
    const crash = file.transaction(() => {
      view.fold(0, read(verdicts.slice(2), 2));
      throw new Error("crash");
    });
    await expect(crash).rejects.toThrow("crash");
    file.close();
    const reopened = await openView(path);
    expect(reopened.view.position(0)).toMatchObject({ offset: 1, next: 2 });
    expect(reopened.view.lastWrite(key("a/x"))).toBe(1);
    expect(reopened.view.changes(0, -1, newest)).toHaveLength(1);
    expect(await foldInto(reopened, read(verdicts.slice(2), 2))).toMatchObject({ position: { offset: 3 } });
    expect(reopened.view.statistics(0).commits).toBe(3);
  });

  it("does not mind a rolled back genesis", async () => {
    const { file, view } = await openView();
    const undone = file.transaction(() => {
      view.fold(0, read(new Chain().run({ "a/x": "1" })));
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(view.genesis()).toBeUndefined();
    const verdicts = new Chain().run({ "a/x": "1" });
    expect(await foldInto({ file, view }, read(verdicts))).toMatchObject({ foreign: 0, position: { offset: 1 } });
  });

  it("is harmless where two views on one file fold the same verdicts (invariant 4)", async () => {
    const path = temporaryPath();
    const verdicts = new Chain().run(...twoKeys, { "a/z": "1" }, { "a/x": null });
    const views = [await openView(path), await openView(path)] as const;
    await Promise.all(
      views.map(async (each) => {
        for (const record of read(verdicts)) await foldInto(each, [record]);
      }),
    );
    for (const { view } of views) {
      expect(view.position(0)).toMatchObject({ offset: 5, next: 6, skipped: 0 });
      expect(view.changes(0, -1, newest)).toHaveLength(6);
      expect(view.statistics(0)).toMatchObject({ intents: 5, commits: 5 });
    }
  });

  it("never moves back, and counts no gap twice, when it lags behind another view on its file", async () => {
    const path = temporaryPath();
    const [genesis, one, two, three, four] = new Chain().run(...twoKeys, { "a/z": "1" });
    const ahead = await openView(path);
    const behind = await openView(path);
    await foldInto(ahead, read([genesis, one, three, two, four]));
    expect(ahead.view.position(0)).toMatchObject({ offset: 2, next: 5, seen: 4, skipped: 1 });
    const late = await foldInto(behind, read([genesis, one, three]));
    expect(late).toMatchObject({ repeats: 2, applied: [three], position: { offset: 3, next: 5, seen: 4 } });
    const again = await foldInto(behind, read([genesis, one]));
    expect(again.position).toEqual(late.position);
  });
});

describe("a view's file", () => {
  it("is bound to one space for good", async () => {
    const { file, view } = await openView();
    const mine = new Chain().genesis;
    const other = new Chain().genesis;
    expect(view.genesis()).toBeUndefined();
    await file.transaction(() => view.bind(encodeGenesis(mine)));
    await file.transaction(() => view.bind(encodeGenesis(mine)));
    expect(view.genesis()).toEqual(encodeGenesis(mine));
    const refused = await file.transaction(() => view.bind(encodeGenesis(other))).catch((error: unknown) => error);
    expect(isFailure(refused, "other_space")).toBe(true);
    expect(String(refused)).toContain(spaceName(mine.space));
    expect(String(refused)).toContain(spaceName(other.space));
    expect(String(refused)).toContain(file.path);
  });

  it("is bound by the first genesis verdict", async () => {
    const opened = await openView();
    const chain = new Chain();
    await foldInto(opened, read([chain.found()]));
    expect(opened.view.genesis()).toEqual(encodeGenesis(chain.genesis));
    const other = opened.file.transaction(() => opened.view.bind(encodeGenesis(new Chain().genesis)));
    await expect(other).rejects.toMatchObject({ code: "other_space" });
  });

  it("is refused when a later version of Seriatim has written it", async () => {
    const { file } = await openView();
    await file.transaction(() => file.database.exec("UPDATE view_meta SET value = 4 WHERE name = 'format'"));
    await expect(View.open(file)).rejects.toMatchObject({
      code: "unreadable",
      message: expect.stringMatching(/format 4.*upgrade.*delete/) as string,
    });
  });

  it("may be opened by several at once, and read without being writable", async () => {
    const path = temporaryPath();
    const opened = await Promise.all([openView(path), openView(path), openView(path)]);
    await foldInto(opened[0], read(new Chain().run({ "a/x": "1" })));
    expect(opened[2].view.version(key("a/x"), newest)).toBe(1);
    const { SqliteFile } = await import("@seriatim/log");
    const file = SqliteFile.open(path, { readonly: true });
    expect((await View.open(file)).version(key("a/x"), newest)).toBe(1);
    file.close();
  });

  it("is not folded outside of a transaction", async () => {
    const view = await View.open(openFile());
    expect(() => view.fold(0, [])).toThrow("outside of a transaction");
    expect(() => view.bind(new Uint8Array())).toThrow("outside of a transaction");
  });
});

const hold = { kind: "held", name: "reserve", arguments: Buffer.from("{}"), undo: null, timeout: 100 } as const;

describe("decisions", () => {
  it("keeps every outcome, and the claims of those that claim", async () => {
    const opened = await openView();
    const chain = new Chain();
    const conflicts = [{ kind: "point" as const, key: key("é/𝄞"), version: 1 }];
    const result = Buffer.from('"approved"');
    const args = { arguments: Buffer.from("{}") };
    const outcomes = [
      commit({ "a/x": "1" }, result),
      refuse("conflict", { conflicts }),
      refuse("not_in_time"),
      refuse("too_large"),
      { kind: "cancelled" as const },
      refuse("invalid", { reason: "bad_key" }),
      refuse("too_old"),
      refuse("id_reused", { first: 1 }),
      refuse("cancelled", { first: 5 }),
      { kind: "repeated" as const, first: 1 },
      { kind: "held" as const, index: 1, name: "reserve", undo: "release", deadline: 5_000, timeout: 100, ...args },
      { kind: "held" as const, index: 0, name: "post", undo: null, deadline: 6_000, timeout: 200, ...args },
      { kind: "expired" as const },
      refuse("closed", { first: 1 }),
    ];
    await foldInto(opened, read([chain.found(), ...outcomes.map((outcome) => chain.next(outcome))]));
    const { view } = opened;
    expect(view.decision(0, 0)).toMatchObject({ offset: 0, id: null, agent: null, outcome: { kind: "genesis" } });
    expect(view.decision(0, 1)).toEqual({
      partition: 0,
      offset: 1,
      id: "id-1",
      agent: "tester",
      time: 1002,
      digest: digestOf("record 0/1"),
      outcome: { kind: "committed", result },
    });
    for (const [index, outcome] of outcomes.entries()) {
      const { arguments: _, ...kept } = { arguments: undefined, ...outcome };
      if (index > 0) expect(view.decision(0, index + 1)?.outcome).toEqual(kept);
    }
    expect([...view.decisions(0, 1, newest)].map(({ outcome }) => outcome.kind)).toEqual(
      outcomes.slice(1).map(({ kind }) => kind),
    );
    const claimed = outcomes.map((_, index) => view.claim(0, `id-${index + 1}`)?.offset);
    expect(claimed.filter((offset) => offset !== undefined)).toEqual([1, 2, 3, 4, 5, 13]);
    expect(view.claim(0, "id-13")).toMatchObject({ cancelled: true });
    expect(view.claim(0, "id-5")).toEqual({ offset: 5, digest: digestOf("record 0/5"), cancelled: true });
    expect([...view.recentClaims(0, 3)].map(({ id, cancelled }) => [id, cancelled])).toEqual([
      ["id-4", false],
      ["id-5", true],
      ["id-13", true],
    ]);
    expect(view.decisionOf("id-2")?.outcome).toMatchObject({ code: "conflict", conflicts });
    expect(view.decisionOf("id-6")).toBeUndefined();
    expect(view.decision(0, 15)).toBeUndefined();
    expect(view.decision(0, -1)).toBeUndefined();
    expect(view.decision(1, 1)).toBeUndefined();
    expect(view.statistics(0)).toEqual({
      intents: 14,
      commits: 1,
      cancels: 1,
      holds: 2,
      expired: 1,
      repeated: 1,
      refusals: {
        conflict: 1,
        not_in_time: 1,
        too_large: 1,
        invalid: 1,
        too_old: 1,
        id_reused: 1,
        closed: 1,
        cancelled: 1,
      },
    });
    const nothing = { intents: 0, commits: 0, cancels: 0, holds: 0, expired: 0, repeated: 0, refusals: {} };
    expect(view.statistics(1)).toEqual(nothing);
  });

  it("outlives an id that is claimed again beyond the window: the view knows the first, the sequencer the last", async () => {
    const opened = await openView();
    const chain = new Chain();
    const verdicts = [chain.found(), chain.next(commit({}), { id: "again" }), chain.next(commit({}), { id: "again" })];
    await foldInto(opened, read(verdicts));
    expect(opened.view.decisionOf("again")).toMatchObject({ offset: 1 });
    expect(opened.view.claim(0, "again")).toMatchObject({ offset: 2 });
  });

  it("finds holds by their id and by their place, in order, each in its partition", async () => {
    const opened = await openView();
    const chain = new Chain();
    const held = (index: number, id: string): Verdict =>
      chain.next({ ...hold, index, deadline: 5_000 + index }, { id });
    await foldInto(
      opened,
      read([chain.found(), held(1, "a"), held(0, "b"), held(0, "a"), chain.next(commit({}), { id: "a" })]),
    );
    const { view } = opened;
    const [first, second] = [
      { offset: 1, index: 1, digest: digestOf("record 0/1"), deadline: 5_001 },
      { offset: 3, index: 0, digest: digestOf("record 0/3"), deadline: 5_000 },
    ];
    expect(view.holds(0, "a")).toEqual([first, second]);
    expect(view.holds(0, "c")).toEqual([]);
    expect(view.holds(1, "a")).toEqual([]);
    expect([...view.recentHolds(0, 1)].map(({ id, offset }) => [id, offset])).toEqual([
      ["b", 2],
      ["a", 3],
    ]);
    expect([...view.recentHolds(0, -1)][0]).toEqual({ id: "a", ...first });
    expect([...view.recentHolds(1, -1)]).toEqual([]);
    // A hold claims no id.
    expect(view.decisionOf("b")).toBeUndefined();
    expect(view.claim(0, "a")).toMatchObject({ offset: 4 });
  });

  it("finds the state as of a time", async () => {
    const opened = await openView();
    const chain = new Chain();
    const at = (time: number, skip = 0) => chain.next(commit({ "a/x": String(time) }), { time }, skip);
    await foldInto(opened, read([chain.found(), at(2000), at(2000), at(3000, 4), at(5000), at(5000, 2)]));
    const { view } = opened;
    const expected = [
      [0, -1],
      [1000, -1],
      [1001, 0],
      [1999, 0],
      [2000, 2],
      [2999, 2],
      [3000, 7],
      [5000, 11],
      [9e12, 11],
    ] as const;
    for (const [time, offset] of expected) expect([time, view.offsetAt(0, time)]).toEqual([time, offset]);
    expect([-1, 0, 2, 6, 7, newest].map((offset) => view.timeAt(0, offset))).toEqual([0, 1001, 2000, 2000, 3000, 5000]);
    expect(view.offsetAt(1, 5000)).toBe(-1);
  });
});
