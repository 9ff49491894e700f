import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Batch, SqliteFile, SqliteLog } from "@seriatim/log";
import { isFailure } from "@seriatim/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeLog } from "./conformance.ts";

describeLog("sqlite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "seriatim-log-"));
  const files: SqliteFile[] = [];
  const open = async (): Promise<SqliteLog> => {
    files.at(-1)?.close();
    const file = SqliteFile.open(join(folder, "state.db"));
    files.push(file);
    return SqliteLog.open(file, "intents", { partitions: 3 });
  };
  return {
    log: await open(),
    reopen: open,
    dispose: async () => {
      files.at(-1)?.close();
      await rm(folder, { recursive: true });
    },
  };
});

describe("a log in an SQLite file", () => {
  let folder: string;
  let file: SqliteFile;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "seriatim-log-"));
    file = SqliteFile.open(join(folder, "state.db"));
  });
  afterEach(async () => {
    file.close();
    await rm(folder, { recursive: true });
  });

  test("logs of one file are apart, also where their names could meet", async () => {
    const logs = await Promise.all(["a", "a_0", "a.0"].map((name) => SqliteLog.open(file, name, { partitions: 2 })));
    for (const log of logs) await log.append(0, [{ value: Buffer.from(log.name) }]);
    for (const log of logs) {
      expect(log.readNow(0, 0).map(({ value }) => String(value))).toEqual([log.name]);
      expect(log.endNow(1)).toBe(0);
    }
  });

  test("an append is part of the transaction it is made in", async () => {
    const log = await SqliteLog.open(file, "intents");
    const failing = file.transaction(() => {
      log.appendNow(0, [{ value: new Uint8Array(1) }]);
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await file.transaction(() => log.appendNow(0, [{ value: new Uint8Array(1) }], 42))).toBe(0);
    expect(log.readNow(0, 0).map(({ time }) => time)).toEqual([42]);
  });

  test("the time is the clock's", async () => {
    const log = await SqliteLog.open(file, "intents", { now: () => 1234 });
    await log.append(0, [{ value: new Uint8Array(1) }]);
    expect(log.readNow(0, 0)[0]?.time).toBe(1234);
  });

  test("a batch is bounded by count and by bytes, and holds at least one record", async () => {
    const log = await SqliteLog.open(file, "intents");
    await log.append(
      0,
      Array.from({ length: 10 }, () => ({ value: new Uint8Array(100) })),
    );
    expect(log.readNow(0, 0, { count: 3, bytes: 1000 })).toHaveLength(3);
    expect(log.readNow(0, 0, { count: 100, bytes: 450 })).toHaveLength(4);
    expect(log.readNow(0, 9, { count: 100, bytes: 1 })).toHaveLength(1);
    await log.append(
      0,
      Array.from({ length: 4 }, () => ({ value: new Uint8Array(400_000) })),
    );
    for await (const { records } of log.read(new Map([[0, 10]]), { signal: new AbortController().signal })) {
      expect(records).toHaveLength(2);
      break;
    }
  });

  test("a log that exists with other partitions is not opened", async () => {
    await SqliteLog.open(file, "intents", { partitions: 2 });
    await expect(SqliteLog.open(file, "intents")).rejects.toSatisfy((error) => isFailure(error, "invalid_argument"));
  });

  test("a file open for reading can be read and followed, not appended to", async () => {
    const log = await SqliteLog.open(file, "intents");
    await log.append(0, [{ value: Buffer.from("a") }]);
    const reader = SqliteFile.open(file.path, { readonly: true });
    const read = await SqliteLog.open(reader, "intents");
    expect(read.endNow(0)).toBe(1);
    const iterator = read.read(new Map([[0, 1]]), { signal: new AbortController().signal });
    const next = iterator.next();
    await log.append(0, [{ value: Buffer.from("b") }]);
    expect(values(await next)).toEqual(["b"]);
    await expect(read.append(0, [{ value: Buffer.from("c") }])).rejects.toSatisfy((error) =>
      isFailure(error, "read_only"),
    );
    await expect(SqliteLog.open(reader, "verdicts")).rejects.toSatisfy((error) => isFailure(error, "not_a_space"));
    reader.close();
    expect((await iterator.next()).done).toBe(true);
  });

  test("a hole is passed over", async () => {
    const log = await SqliteLog.open(file, "intents");
    await log.append(
      0,
      ["a", "b", "c"].map((text) => ({ value: Buffer.from(text) })),
    );
    await file.transaction(() => file.database.exec("DELETE FROM log_intents_0 WHERE offset = 1"));
    const iterator = log.read(new Map([[0, 1]]), { signal: new AbortController().signal });
    expect(values(await iterator.next())).toEqual(["c"]);
    await iterator.return(undefined);
  });

  test.each([
    ["at its end", "DELETE FROM log_intents_0 WHERE offset > 0"],
    ["wholly", "DELETE FROM log_intents_0"],
    [
      "below and above the position",
      "INSERT INTO log_intents_0 VALUES (5, 0, x'', NULL); DELETE FROM log_intents_0 WHERE offset < 5",
    ],
  ])("a reader that waits finds out that the log was cut %s", async (_, sql) => {
    const log = await SqliteLog.open(file, "intents");
    await log.append(
      0,
      ["a", "b", "c"].map((text) => ({ value: Buffer.from(text) })),
    );
    const iterator = log.read(new Map([[0, 2]]), { signal: new AbortController().signal });
    await iterator.next();
    const waiting = iterator.next();
    await file.transaction(() => file.database.exec(sql));
    await expect(waiting).rejects.toSatisfy((error) => isFailure(error, "log_changed"));
  });
});

function values(result: IteratorResult<Batch, void>): string[] {
  return result.done === true ? [] : result.value.records.map(({ value }) => String(value));
}
