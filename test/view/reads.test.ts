import { SqliteFile } from "@seriatim/log";
import { fromBytes, toBytes, type Key, type KeyRange, type Verdict } from "@seriatim/protocol";
import { newest, View } from "@seriatim/view";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Chain, commit, foldInto, key, openView, read, temporaryPath, type Opened } from "./fixture.ts";
import { compareKeys, Model, type ModelRange } from "./model.ts";

/** In an order that UTF-16 units would get wrong: U+FFFD stands below U+10000 only in UTF-8. */
const keys = [
  "a/",
  "a/x",
  "a/x/1",
  "a/xy",
  "a/é",
  "a/\u{fffd}",
  "a/\u{ffff}",
  "a/\u{10000}",
  "a/\u{1d11e}x",
  "b/0",
  "b/x",
].map((each) => (each.endsWith("/") ? `${each} ` : each));

const transactions = fc.array(
  fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), fc.option(fc.string({ maxLength: 3 }))), {
    maxLength: 4,
    selector: ([each]) => each,
  }),
  { maxLength: 25 },
);

const bound = fc.oneof(fc.constantFrom(...keys), fc.constantFrom("", "a", "a/\u{e000}", "b", "b0", "\u{10ffff}"));

interface Query {
  readonly range: ModelRange;
  readonly at: number;
  readonly limit: number;
  readonly key: string;
  readonly after: string | undefined;
}

const query: fc.Arbitrary<Query> = fc.record({
  range: fc.record({ from: bound, to: bound }),
  at: fc.oneof(fc.integer({ min: -1, max: 26 }), fc.constant(newest)),
  limit: fc.integer({ min: 1, max: 6 }),
  key: fc.constantFrom(...keys),
  after: fc.option(fc.constantFrom(...keys), { nil: undefined }),
});

/** Folds `cut` verdicts at once, so that a write meets those of its key in the same fold and in earlier ones. */
async function build(
  histories: readonly (readonly [string, string | null])[][],
  cut: number,
): Promise<{ view: View; model: Model }> {
  const file = SqliteFile.inMemory();
  const opened = { file, view: await View.open(file) };
  const chain = new Chain();
  const model = new Model();
  const verdicts: Verdict[] = [chain.found()];
  for (const [index, entries] of histories.entries()) {
    verdicts.push(chain.next(commit(Object.fromEntries(entries))));
    model.commit(index + 1, new Map(entries));
  }
  for (let at = 0; at < verdicts.length; at += cut) await foldInto(opened, read(verdicts.slice(at, at + cut), at));
  return { view: opened.view, model };
}

const plain = ({ key: each, version, value }: { key: Key; version: number; value: Uint8Array | null }) => ({
  key: fromBytes(each),
  version,
  value: value === null ? null : Buffer.from(value).toString(),
});

function countInPages(view: View, range: KeyRange, at: number, limit: number): number {
  let sum = 0;
  for (let after: Key | undefined; ;) {
    const { entries, last } = view.count(range, at, { limit, ...(after === undefined ? {} : { after }) });
    sum += entries;
    if (last === undefined) return sum;
    after = last;
  }
}

function everyOffset(view: View): number[] {
  return Array.from({ length: view.position(0).offset + 1 }, (_, offset) => offset);
}

function check({ view, model }: { view: View; model: Model }, asked: Query): void {
  const { at, limit, after } = asked;
  const range = { from: toBytes(asked.range.from), to: toBytes(asked.range.to) };
  const each = key(asked.key);

  const entry = view.get(each, at);
  expect(entry === undefined ? undefined : plain(entry)).toEqual(model.get(asked.key, at));
  expect(view.version(each, at)).toBe(model.get(asked.key, at)?.version ?? null);
  expect(view.lastWrite(each)).toBe(model.lastWrite(asked.key));

  const live = model.scan(asked.range, at);
  expect(view.count(range, at, { limit: newest })).toEqual({ entries: live.length });
  expect(countInPages(view, range, at, limit)).toBe(live.length);
  const onward = live.filter((write) => after === undefined || compareKeys(write.key, after) > 0);
  const continued = after === undefined ? { limit } : { limit, after: key(after) };
  expect(view.scan(range, at, continued).map(plain)).toEqual(onward.slice(0, limit));
  const back = live.filter((write) => after === undefined || compareKeys(write.key, after) < 0).toReversed();
  expect(view.scan(range, at, { ...continued, reverse: true }).map(plain)).toEqual(back.slice(0, limit));

  const recent = view.newestIn(range, at, limit).map(({ key: found, version }) => ({ key: fromBytes(found), version }));
  expect(recent).toEqual(model.newestIn(asked.range, at).slice(0, limit));

  const history = model.history(asked.key);
  expect(view.history(each).map((found) => plain({ key: each, ...found }))).toEqual(history);
  const older = history.filter(({ version }) => version < at).slice(0, limit);
  expect(view.history(each, { before: at, limit }).map((found) => plain({ key: each, ...found }))).toEqual(older);

  const written = model.writes.filter(({ version }) => version > at && version <= at + limit);
  const changes = view.changes(0, at, at + limit).map(({ key: found, version }) => [fromBytes(found), version]);
  expect(changes).toEqual(written.map(({ key: found, version }) => [found, version]));
  const decided = [...view.decisions(0, at, at + limit)].map(({ offset }) => offset);
  expect(decided).toEqual(everyOffset(view).filter((offset) => offset > at && offset <= at + limit));
  expect(view.changes(0, at, newest, 2)).toEqual([...view.recentWrites(0, at)].slice(0, 2));
}

describe("reads at a snapshot", () => {
  it("agree with a list of all versions", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        transactions,
        fc.constantFrom(1, 2, 5, 26),
        fc.array(query, { minLength: 10, maxLength: 30 }),
        async (histories, cut, queries) => {
          const built = await build(histories, cut);
          for (const asked of queries) check(built, asked);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("show what was there, whatever came later", async () => {
    const opened = await openView();
    const range = { from: toBytes("a/"), to: toBytes("a0") };
    const chain = new Chain();
    await foldInto(opened, read(chain.run({ "a/1": "1", "a/2": "1" })));
    const before = opened.view.scan(range, 1, { limit: 10 });
    await foldInto(opened, read([chain.next(commit({ "a/1": null, "a/2": "2", "a/3": "1" }))], 2));
    expect(opened.view.scan(range, 1, { limit: 10 })).toEqual(before);
    expect(opened.view.scan(range, newest, { limit: 10 }).map(({ key: each }) => each)).toEqual(["a/2", "a/3"]);
  });

  it("page through a range in both directions", async () => {
    const opened = await openView();
    const names = Array.from({ length: 25 }, (_, index) => `a/${String(index).padStart(2, "0")}`);
    await foldInto(opened, read(new Chain().run(Object.fromEntries(names.map((name) => [name, name])))));
    for (const reverse of [false, true]) {
      const seen: string[] = [];
      for (let after: Key | undefined; ;) {
        const options = { limit: 10, reverse, ...(after === undefined ? {} : { after }) };
        const page = opened.view.scan({ from: toBytes("a/"), to: toBytes("a0") }, newest, options);
        seen.push(...page.map((entry) => entry.key));
        after = page.at(-1)?.key;
        if (after === undefined) break;
      }
      expect(seen).toEqual(reverse ? names.toReversed() : names);
    }
  });

  it("keep an empty value apart from an absent one", async () => {
    const opened = await openView();
    await foldInto(opened, read(new Chain().run({ "a/empty": "" })));
    expect(opened.view.get(key("a/empty"), newest)).toMatchObject({ value: Buffer.alloc(0) });
    expect(opened.view.count({ from: toBytes("a/"), to: toBytes("a0") }, newest, { limit: 10 })).toEqual({
      entries: 1,
    });
  });
});

/** At once, as only another process can. */
function commitNow({ file, view }: Opened, verdict: Verdict): void {
  file.database.exec("BEGIN IMMEDIATE");
  view.fold(0, read([verdict], verdict.offset));
  file.database.exec("COMMIT");
}

describe("another process that commits in the midst of a read", () => {
  const all = { from: toBytes("a/"), to: toBytes("a0") };

  const changes = {
    "deletes a key": { before: [], change: { "a/1": null } },
    "writes a key that was deleted": { before: [{ "a/1": null }], change: { "a/1": "2" } },
  };
  const reads = {
    scan: (view: View): unknown => view.scan(all, 1, { limit: 10 }).map((entry) => entry.key),
    count: (view: View): unknown => view.count(all, 1, { limit: 10 }).entries,
  };

  it.each(Object.entries(changes))("changes nothing at a snapshot when it %s", async (_, { before, change }) => {
    for (const readAll of Object.values(reads))
      // Before each of the statements in turn: there are fewer.
      for (let statement = 1; statement <= 8; statement += 1) {
        const path = temporaryPath();
        const [opened, other] = [await openView(path), await openView(path)];
        const chain = new Chain();
        await foldInto(opened, read(chain.run({ "a/1": "1", "a/2": "1" }, ...before)));
        const expected = readAll(opened.view);
        let left = statement;
        const readNow = opened.file.readNow.bind(opened.file);
        vi.spyOn(opened.file, "readNow").mockImplementation((work) => {
          left -= 1;
          if (left === 0) commitNow(other, chain.next(commit(change)));
          return readNow(work);
        });
        expect(readAll(opened.view)).toEqual(expected);
      }
  });
});

describe("newestIn", () => {
  const all = { from: toBytes("a/"), to: toBytes("a0") };

  it("finds a few recent writes in a large range, and a few keys among many recent writes", async () => {
    const opened = await openView();
    const chain = new Chain();
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`a/k${index}`, "1"]));
    await foldInto(opened, read(chain.run(many, { "a/k7": "2", "b/x": "1" }, { "a/k5": null })));
    expect(opened.view.newestIn(all, 1, 10)).toEqual([
      { key: "a/k5", version: 3 },
      { key: "a/k7", version: 2 },
    ]);
    expect(opened.view.newestIn(all, 1, 1)).toEqual([{ key: "a/k5", version: 3 }]);
    expect(opened.view.newestIn(all, 3, 10)).toEqual([]);
    expect(opened.view.newestIn({ from: toBytes("b/"), to: toBytes("b0") }, 0, 10)).toEqual([
      { key: "b/x", version: 2 },
    ]);
  });

  it("names a key once that was written more than once", async () => {
    const opened = await openView();
    const fill = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a/f${index}`, "1"]));
    await foldInto(opened, read(new Chain().run(fill, { "a/x": "1" }, { "a/x": "2" }, { "a/x": "3" })));
    expect(opened.view.newestIn(all, 1, 10)).toEqual([{ key: "a/x", version: 4 }]);
  });
});

describe("what fills the memory of a sequencer at its start", () => {
  it("comes in order over more than one page", async () => {
    const opened = await openView();
    const chain = new Chain();
    const verdicts = [chain.found()];
    for (let index = 0; index < 5000; index += 1) verdicts.push(chain.next(commit({ [`a/${index}`]: "1" })));
    await foldInto(opened, read(verdicts));
    const writes = [...opened.view.recentWrites(0, 100)];
    expect(writes.map(({ version }) => version)).toEqual(Array.from({ length: 4900 }, (_, index) => 101 + index));
    const claims = [...opened.view.recentClaims(0, 100)];
    expect(claims.map(({ offset }) => offset)).toEqual(writes.map(({ version }) => version));
    expect(claims[0]).toMatchObject({ id: "id-101", offset: 101, cancelled: false });
  });
});
