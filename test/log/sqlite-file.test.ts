import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteFile } from "@seriatim/log";
import { type FailureCode, isFailure } from "@seriatim/protocol";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder: string;
let path: string;
let opened: SqliteFile[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seriatim-file-"));
  path = join(folder, "state.db");
  opened = [];
});

afterEach(async () => {
  for (const file of opened) file.close();
  await chmod(folder, 0o700);
  await rm(folder, { recursive: true });
});

function open(...args: Parameters<typeof SqliteFile.open>): SqliteFile {
  const file = SqliteFile.open(...args);
  opened.push(file);
  return file;
}

/** A file with a table `t`, and what inserts into it. */
async function openTable(): Promise<{ file: SqliteFile; insert: () => unknown; count: () => number | undefined }> {
  const file = open(path);
  await file.transaction(() => file.database.exec("CREATE TABLE IF NOT EXISTS t (value)"));
  const insert = file.database.prepare("INSERT INTO t VALUES (1)");
  const count = file.database.prepare<[], number>("SELECT count(*) FROM t").pluck();
  return { file, insert: () => insert.run(), count: () => count.get() };
}

const isFailureOf =
  (code: FailureCode) =>
  (error: unknown): boolean =>
    isFailure(error, code);

function expectRefused(file: () => unknown, code: FailureCode, names: string): void {
  expect(file).toThrow(expect.toSatisfy(isFailureOf(code), code));
  expect(file).toThrow(names);
}

describe("opening a file", () => {
  test("sets what the guarantees rest on", () => {
    const { database } = open(path);
    const settings = ["journal_mode", "synchronous", "foreign_keys", "trusted_schema", "busy_timeout"];
    expect(settings.map((name) => database.pragma(name, { simple: true }))).toEqual(["wal", 2, 0, 0, 0]);
    expect(open(path, { synchronous: "normal" }).database.pragma("synchronous", { simple: true })).toBe(1);
  });

  test("takes an empty file, and its own again", async () => {
    await writeFile(path, "");
    open(path).close();
    expect(open(path, { create: false }).isOpen).toBe(true);
  });

  test("refuses what cannot be a file", async () => {
    expectRefused(() => open(folder), "invalid_argument", "is a folder");
    expectRefused(() => open(join(folder, "none", "state.db")), "invalid_argument", join(folder, "none"));
    expectRefused(() => open(path, { create: false }), "invalid_argument", path);
    expectRefused(() => open(path, { readonly: true }), "invalid_argument", path);
    expectRefused(() => open(`${path}\0.db`), "invalid_argument", "no path");
    await writeFile(path, "");
    expectRefused(() => open(join(path, "state.db")), "invalid_argument", path);
  });

  test.each([
    ["with tables", "CREATE TABLE theirs (value)"],
    ["marked as another's", "PRAGMA application_id = 7"],
  ])("refuses the database of another application, %s, and leaves it as it was", async (_, sql) => {
    const foreign = new Database(path);
    foreign.exec(sql);
    foreign.close();
    const before = await readFile(path);
    expectRefused(() => open(path), "not_a_space", path);
    expect(await readFile(path)).toEqual(before);
  });

  test("refuses what is no database", async () => {
    await writeFile(path, "this is no database, and long enough that SQLite looks at its first bytes".repeat(100));
    expectRefused(() => open(path), "unreadable", path);
  });

  test("a damaged file is reported when it is met", async () => {
    const { file, insert } = await openTable();
    await file.transaction(() => Array.from({ length: 5000 }, insert));
    file.close();
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xff, 3 * 4096, 8 * 4096));
    const damaged = open(path);
    const reading = damaged.read(() => damaged.database.prepare("SELECT sum(value) FROM t").get());
    await expect(reading).rejects.toSatisfy(isFailureOf("unreadable"));
    damaged.close();
    await truncate(path, 3 * 4096);
    expectRefused(() => open(path), "unreadable", path);
  });

  test("says which of file and folder is read-only", async () => {
    const home = join(folder, "home");
    await mkdir(home);
    await chmod(folder, 0o755);
    const inside = join(home, "state.db");
    const attempt = { action: "openAsNobody", path: inside, warmUp: path };
    await chmod(home, 0o555);
    expect(await tell(await start(), attempt)).toMatchObject({
      code: "read_only",
      message: expect.stringContaining(home),
    });
    await chmod(home, 0o777);
    open(inside).close();
    await chmod(inside, 0o444);
    const refusal = { code: "read_only", message: expect.stringContaining(`the file ${inside} is read-only`) };
    expect(await tell(await start(), attempt)).toMatchObject(refusal);
    await chmod(inside, 0o666);
    await chmod(home, 0o555);
    expect(await tell(await start(), attempt)).toMatchObject({
      code: "read_only",
      message: expect.stringContaining(`the folder ${home} is read-only`),
    });
    await chmod(home, 0o777);
    expect(await tell(await start(), attempt)).toEqual({});
  });
});

describe("a transaction", () => {
  test("is rolled back when its work throws, and passes the error on", async () => {
    const { file, insert, count } = await openTable();
    const error = new Error("no");
    const failing = file.transaction(() => {
      insert();
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    expect(count()).toBe(0);
  });

  test("must be synchronous", async () => {
    const { file, insert, count } = await openTable();
    await expect(file.transaction(async () => insert())).rejects.toThrow("synchronous");
    expect(count()).toBe(0);
  });

  test("is served in the order of the calls, with turns of the event loop in between", async () => {
    const { file } = await openTable();
    const order: number[] = [];
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (order.length < 10) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(Array.from({ length: 10 }, (_, index) => file.transaction(() => order.push(index))));
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  test("begun inside of another comes after it", async () => {
    const { file, insert, count } = await openTable();
    let inner: Promise<number | undefined> | undefined;
    await file.transaction(() => {
      inner = file.transaction(count);
      insert();
    });
    expect(await inner).toBe(1);
  });

  test("waits for another connection's lock while timers go on", async () => {
    const { file, insert, count } = await openTable();
    const other = open(path);
    other.database.exec("BEGIN IMMEDIATE");
    setTimeout(() => other.database.exec("COMMIT"), 5);
    await file.transaction(insert);
    expect(count()).toBe(1);
  });

  test("gives up at its deadline or signal, and then does nothing", async () => {
    const { file, insert, count } = await openTable();
    const other = open(path);
    other.database.exec("BEGIN IMMEDIATE");
    const controller = new AbortController();
    const aborted = file.transaction(insert, { signal: controller.signal });
    const late = file.transaction(insert, { deadline: 1 });
    await expect(late).rejects.toSatisfy(isFailureOf("unavailable"));
    controller.abort();
    await expect(aborted).rejects.toSatisfy(isFailureOf("aborted"));
    await expect(file.transaction(insert, { signal: controller.signal })).rejects.toSatisfy(isFailureOf("aborted"));
    other.database.exec("COMMIT");
    expect(await file.transaction(count)).toBe(0);
  });

  test("on a file open for reading only is refused", async () => {
    const { count } = await openTable();
    const reader = open(path, { readonly: true });
    const reading = reader.read(() => reader.database.prepare("SELECT count(*) FROM t").pluck().get());
    expect(await reading).toBe(count());
    await expect(reader.transaction(() => 0)).rejects.toSatisfy(isFailureOf("read_only"));
  });

  test("on a full disk writes nothing, and the next goes on", async () => {
    const { file, insert, count } = await openTable();
    const pages = Number(file.database.pragma("page_count", { simple: true }));
    file.database.pragma(`max_page_count = ${pages}`);
    const full = file.transaction(() => Array.from({ length: 5000 }, insert));
    await expect(full).rejects.toSatisfy(isFailureOf("unavailable"));
    await file.transaction(insert);
    expect(count()).toBe(1);
  });

  test("on a file that is no longer at its path is refused", async () => {
    const { file, insert } = await openTable();
    await rename(path, `${path}.away`);
    await expect(file.transaction(insert)).rejects.toSatisfy(isFailureOf("log_changed"));
    await rename(`${path}.away`, path);
    await file.transaction(insert);
  });

  test("that waits, or comes later, fails when the file is closed", async () => {
    const { file, insert } = await openTable();
    const other = open(path);
    other.database.exec("BEGIN IMMEDIATE");
    const waiting = file.transaction(insert);
    file.close();
    other.database.exec("COMMIT");
    await expect(waiting).rejects.toSatisfy(isFailureOf("closed"));
    await expect(file.transaction(insert)).rejects.toSatisfy(isFailureOf("closed"));
    await expect(file.read(() => 0)).rejects.toSatisfy(isFailureOf("closed"));
  });

  // Case 42.
  test("of several processes that create, read and write one file at once never meets SQLITE_BUSY", async () => {
    const children = await Promise.all([start(), start(), start()]);
    const task = { action: "count", path, times: 100 };
    expect(await Promise.all(children.map((child) => tell(child, task)))).toEqual([{}, {}, {}]);
    const { database } = open(path);
    const counted = database.prepare("SELECT count(*), count(DISTINCT value), max(value) FROM counter").raw().get();
    expect(counted).toEqual([300, 300, 300]);
  });
});

describe("a listener", () => {
  test("hears of own commits that changed rows, and of no others", async () => {
    const { file, insert } = await openTable();
    const heard = listen(file);
    await heard.next();
    await file.transaction(() => 0);
    const failing = file.transaction(() => {
      insert();
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    const { calls } = heard;
    await file.transaction(insert);
    await heard.next();
    expect(heard.calls).toBe(calls + 1);
  });

  test("hears of another connection's commits, until it no longer listens", async () => {
    const { file } = await openTable();
    const other = await openTable();
    const heard = listen(file);
    await heard.next();
    await other.file.transaction(other.insert);
    await heard.next();
    const { calls } = heard;
    heard.stop();
    const another = listen(file);
    await other.file.transaction(other.insert);
    await another.next();
    expect(heard.calls).toBe(calls);
  });

  test("hears of the closing", async () => {
    const { file } = await openTable();
    const heard = listen(file);
    await heard.next();
    file.close();
    await heard.next();
    expect(() => file.subscribe(() => 0)).toThrow(expect.toSatisfy(isFailureOf("closed")));
  });
});

interface Listening {
  readonly calls: number;
  /** Resolves at the next call, or at once when one came since the last. */
  next(): Promise<void>;
  stop(): void;
}

/** The first call says only that the listening began. */
function listen(file: SqliteFile): Listening {
  let calls = 0;
  let seen = 0;
  let wake: (() => void) | undefined;
  const stop = file.subscribe(() => {
    calls += 1;
    wake?.();
  });
  return {
    get calls() {
      return calls;
    },
    next: async () => {
      if (calls === seen) await new Promise<void>((resolve) => (wake = resolve));
      seen = calls;
    },
    stop,
  };
}

/** A child that has loaded everything and waits for its task. */
async function start(): Promise<ChildProcess> {
  const child = fork(new URL("sqlite-child.mjs", import.meta.url), { execArgv: [] });
  await once(child, "message");
  return child;
}

/** Gives the child its task. Resolves with `{}` or the failure, once the child has ended. */
async function tell(child: ChildProcess, task: object): Promise<unknown> {
  const ended = once(child, "exit");
  child.send(task);
  const [outcome] = await once(child, "message");
  await ended;
  return outcome;
}
