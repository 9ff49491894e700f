import type { SqliteFile } from "@seriatim/log";
import { toBytes } from "@seriatim/protocol";
import { newest, View } from "@seriatim/view";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Chain, commit, foldInto, key, openFile, openView, read, type Opened } from "./fixture.ts";

const all = { from: toBytes("a/"), to: toBytes("a0") };

/** A view, and the statements that it prepares from here on. */
async function openWatched(): Promise<Opened & { readonly prepared: string[] }> {
  const file = openFile();
  const prepared: string[] = [];
  const prepare = file.database.prepare.bind(file.database);
  vi.spyOn(file.database, "prepare").mockImplementation((sql: string) => {
    prepared.push(sql);
    return prepare(sql);
  });
  return { file, view: await View.open(file), prepared };
}

/** What SQLite goes through for a statement, table by table. */
function planOf({ database }: SqliteFile, sql: string): string[] {
  const plan = database.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/@\w+|\?/gu, "1")}`);
  return plan.all().map(({ detail }) => detail);
}

function count({ database }: SqliteFile, table: string): number | undefined {
  return database.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get();
}

/** It asks for the first key of each table only. */
function isPartitionOfRange(sql: string): boolean {
  return sql.startsWith("SELECT coalesce((SELECT place FROM");
}

describe("a queue whose items are deleted when they are done", () => {
  const items = Array.from({ length: 500 }, (_, index) => `a/open/${String(index).padStart(4, "0")}`);

  /** All done but the last. */
  async function worked(): Promise<Opened & { readonly prepared: string[] }> {
    const opened = await openWatched();
    const chain = new Chain();
    const verdicts = chain.run(...items.map((item) => ({ [item]: "open" })));
    for (const item of items.slice(0, -1)) verdicts.push(chain.next(commit({ [item]: null, [`b/done/${item}`]: "" })));
    await foldInto(opened, read(verdicts));
    opened.prepared.length = 0;
    return opened;
  }

  it("is scanned and counted without a step over what was deleted", async () => {
    const { file, view, prepared } = await worked();
    expect(view.scan(all, newest, { limit: 1 })).toMatchObject([{ key: items.at(-1) }]);
    expect(view.scan(all, newest, { limit: 1, reverse: true })).toMatchObject([{ key: items.at(-1) }]);
    expect(view.count(all, newest, { limit: 1000 })).toEqual({ entries: 1 });
    // The only table that a range of keys is sought in holds nothing but what is live.
    const many = prepared.filter((sql) => !isPartitionOfRange(sql));
    expect(many.filter((sql) => sql.includes("view_latest AS l"))).toHaveLength(3);
    const sought = many.flatMap((sql) => planOf(file, sql)).filter((step) => step.includes("key>"));
    expect(new Set(sought)).toEqual(new Set(["SEARCH l USING PRIMARY KEY (key>? AND key<?)"]));
    expect(count(file, "view_latest")).toBe(500);
  });

  it("is scanned at a snapshot a little behind by way of the few writes since", async () => {
    const { file, view, prepared } = await worked();
    const last = view.position(0).offset;
    expect(view.scan(all, last - 1, { limit: 9 }).map((entry) => entry.key)).toEqual(items.slice(-2));
    expect(view.count(all, last - 1, { limit: 1000 })).toEqual({ entries: 2 });
    const found = prepared.filter((sql) => sql.includes("CROSS JOIN view_deleted"));
    expect(found).toHaveLength(2);
    for (const sql of found)
      expect(planOf(file, sql)[0]).toBe("SEARCH w USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
  });

  it("still knows who deleted what", async () => {
    const { view } = await worked();
    const last = view.position(0).offset;
    expect(view.lastWrite(key("a/open/0000"))).toBe(501);
    expect(view.newestIn(all, last - 2, 10)).toEqual([
      { key: items.at(-3), version: last - 1 },
      { key: items.at(-2), version: last },
    ]);
    expect(view.newestIn({ from: key("a/open/0001"), to: key("a/open/0002") }, 100, 10)).toEqual([
      { key: items[1], version: 502 },
    ]);
  });
});

describe("a look-up of an id", () => {
  it("goes through the index of the ids", async () => {
    const { file, view, prepared } = await openWatched();
    view.claim(0, "id-1");
    view.decisionOf("id-1");
    view.holds(0, "id-1");
    const plans = prepared.filter((sql) => sql.includes("@hash")).flatMap((sql) => planOf(file, sql));
    const byHash = "USING INDEX INDEX_NAME (hash=? AND rowid>? AND rowid<?)";
    expect(plans.toSorted()).toEqual([
      `SEARCH h ${byHash.replace("INDEX_NAME", "view_holds_by_id")}`,
      "SEARCH i USING INTEGER PRIMARY KEY (rowid=?)",
      ...["view_intents", "view_intents"].map(
        (table) => `SEARCH ${table} ${byHash.replace("INDEX_NAME", "view_claims")}`,
      ),
    ]);
  });

  it("finds it by a number that never changes, and tells ids of one number apart", async () => {
    const opened = await openView();
    const chain = new Chain();
    const ids = ["id-1", "an id", "é/\u{1d11e}", ""];
    await foldInto(opened, read([chain.found(), ...ids.map((id) => chain.next(commit({}), { id }))]));
    const { view, file } = opened;
    const hashes = file.database
      .prepare<[], number>("SELECT hash FROM view_intents WHERE claims = 1 ORDER BY place")
      .pluck();
    expect(hashes.all()).toEqual([519970795269079, 2715032595550120, 714080211362799, 1372623216154386]);
    await file.transaction(() =>
      file.database.exec("UPDATE view_intents SET hash = (SELECT hash FROM view_intents WHERE id = 'an id')"),
    );
    expect(view.decisionOf("an id")).toMatchObject({ offset: 2 });
    expect(view.claim(0, "id-1")).toBeUndefined();
    expect(view.decisionOf("id-1")).toBeUndefined();
  });
});

async function locked(): Promise<Opened & { readonly holder: Database.Database }> {
  const opened = await openView();
  await foldInto(opened, read(new Chain().run({ "a/x": "1" })));
  // In this mode, as in a recovery of the write-ahead log, a writer keeps out those who read.
  opened.file.database.pragma("journal_mode = DELETE");
  const holder = new Database(opened.file.path, { timeout: 0 });
  onTestFinished(() => void holder.close());
  holder.exec("BEGIN EXCLUSIVE");
  return { ...opened, holder };
}

describe("a read while another connection has the file for itself", () => {
  it("waits for a moment", async () => {
    const { view, holder } = await locked();
    const wait = vi.spyOn(Atomics, "wait").mockImplementation(() => {
      if (holder.inTransaction) holder.exec("COMMIT");
      return "timed-out";
    });
    onTestFinished(() => wait.mockRestore());
    expect(view.version(key("a/x"), newest)).toBe(1);
    expect(wait).toHaveBeenCalledTimes(1);
  });

  it.each<[string, (view: View) => unknown]>([
    ["position", (view) => view.position(0)],
    ["get", (view) => view.get(key("a/x"), newest)],
    ["scan", (view) => view.scan(all, newest, { limit: 1 })],
    ["count", (view) => view.count(all, newest, { limit: 1 })],
    ["history", (view) => view.history(key("a/x"))],
    ["decisionOf", (view) => view.decisionOf("id-1")],
    ["decisions", (view) => [...view.decisions(0, -1, 1)]],
    ["statistics", (view) => view.statistics(0)],
    ["lastWrite", (view) => view.lastWrite(key("a/x"))],
    ["newestIn", (view) => view.newestIn(all, 0, 1)],
    ["changes", (view) => view.changes(0, -1, newest)],
  ])("fails, where that lasts, as a Failure that a retry can help: %s", async (_, call) => {
    const { view, holder } = await locked();
    const unavailable: unknown = expect.objectContaining({ name: "Failure", code: "unavailable", canRetry: true });
    expect(() => call(view)).toThrow(unavailable);
    holder.exec("COMMIT");
    expect(call(view)).toBeDefined();
  });

  it("fails as closed when the file was closed", async () => {
    const { file, view } = await openView();
    file.close();
    expect(() => view.position(0)).toThrow(expect.objectContaining({ name: "Failure", code: "closed" }) as Error);
  });
});
