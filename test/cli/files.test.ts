/* Files that are not what they must be: each a clear error, and nothing made of them. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SqliteFile } from "@seriatim/log";
import { createGenesis, encodeGenesis } from "@seriatim/protocol";
import { View } from "@seriatim/view";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { temporaryFile, temporaryFolder } from "../support/temporary.ts";
import { seriatim } from "./command.ts";

async function expectRefused(path: string, code: number, says: string): Promise<void> {
  for (const args of [["status"], ["put", "a/b", "1"]]) {
    const { stderr, ...finished } = await seriatim([...args, "--file", path]);
    expect(stderr).toContain(says);
    expect(stderr.trimEnd()).toMatch(/^seriatim: [^\n]*$/);
    expect(finished).toEqual({ code, stdout: "" });
  }
}

describe("a file", () => {
  test("that is a folder", () => expectRefused(temporaryFolder(), 64, "is a folder; name a file in it"));

  test("that is empty", async () => {
    const path = temporaryFile();
    await writeFile(path, "");
    await expectRefused(path, 70, "is empty");
    expect(await readFile(path)).toHaveLength(0);
  });

  test("that is no database", async () => {
    const path = temporaryFile();
    await writeFile(path, "no database".repeat(1000));
    await expectRefused(path, 70, "is not an SQLite database");
  });

  test("of another application", async () => {
    const path = temporaryFile();
    const database = new Database(path);
    database.exec("CREATE TABLE t (x)");
    database.close();
    await expectRefused(path, 70, "is the SQLite database of another application");
    expect(await seriatim(["init", "--file", path])).toMatchObject({ code: 70 });
  });

  test("that is the view of a space on Kafka", async () => {
    const path = temporaryFile("view.db");
    const file = SqliteFile.open(path);
    const view = await View.open(file);
    await file.transaction(() => view.bind(encodeGenesis(createGenesis({ partitions: 1 }))));
    file.close();
    await expectRefused(path, 70, "holds no space");
    const init = await seriatim(["init", "--file", path]);
    expect(init).toMatchObject({
      code: 70,
      stderr: expect.stringContaining("is the view of a space on Kafka") as string,
    });
    await expectRefused(path, 70, "holds no space");
  });

  test("that is read-only can be read and not written", async (context) => {
    // A folder that anyone may enter, since root may write everywhere and must become somebody else.
    const home = join(temporaryFolder(), "home");
    await mkdir(home);
    await chmod(dirname(home), 0o755);
    const path = join(home, "state.db");
    await seriatim(["init", "--file", path]);
    await chmod(path, 0o444);
    await chmod(home, 0o777);
    const options = process.getuid?.() === 0 ? { uid: 65_534, cwd: home } : {};
    const version = await seriatim(["--version"], options);
    context.skip(version.code !== 0, "another user than root cannot read this checkout");
    const put = await seriatim(["put", "a/b", "1", "--file", path], options);
    expect(put).toMatchObject({ code: 70, stderr: expect.stringContaining(`the file ${path} is read-only`) as string });
    expect(await seriatim(["status", "--file", path], options)).toMatchObject({ code: 0 });
  });
});
