/* A space that is verified and copied while it is worked on, and what is found in one that was tampered with. */
import { SqliteFile } from "@seriatim/log";
import { describe, expect, test } from "vitest";
import { open } from "../../libs/seriatim/src/index.ts";
import { temporaryFile } from "../support/temporary.ts";
import { json, seriatim } from "./command.ts";

async function workedOn(path = temporaryFile()): Promise<string> {
  const coordinator = await open(path);
  for (const n of [1, 2, 3]) await coordinator.run({ agent: "a" }, (tx) => tx.put(`k/${n % 2}`, n));
  await coordinator.run({ agent: "a" }, (tx) => tx.delete("k/0"));
  await coordinator.close();
  return path;
}

async function tampered(sql: string): Promise<string> {
  const path = await workedOn();
  const file = SqliteFile.open(path);
  await file.transaction(() => expect(file.database.prepare(sql).run().changes).toBe(1));
  file.close();
  return path;
}

describe("verify", () => {
  test("finds that view and log agree", async () => {
    const path = await workedOn();
    const found = json((await seriatim(["verify", "--file", path, "--json"])).stdout);
    expect(found).toMatchObject({ holds: true, partitions: [{ applied: 4, faults: [] }] });
    expect((await seriatim(["verify", "--file", path])).stdout).toMatch(/0@4 +agree/);
  });

  const tamperings: [string, string, RegExp][] = [
    [
      "a value of the view",
      "UPDATE view_versions SET value = CAST('4' AS BLOB) WHERE version = 3",
      /the view has "k\/1" of version 3 holding 4 where the log leads to "k\/1" of version 3 holding 3/,
    ],
    [
      "a delete of the view",
      "DELETE FROM view_versions WHERE version = 4",
      /where the log leads to "k\/0" of version 4/,
    ],
    [
      "an intents record",
      "UPDATE log_intents_0 SET value = CAST(substr(value, 1, length(value) - 1) AS BLOB) WHERE offset = 2",
      /the intents record at offset 2 is not the one that its verdict names/,
    ],
    [
      "a verdict",
      "UPDATE log_verdicts_0 SET value = CAST(substr(value, 1, length(value) - 1) AS BLOB) WHERE offset = 2",
      /the verdicts lead to offset 1, and the view stands at 4/,
    ],
  ];
  test.each(tamperings)("finds %s that was tampered with", async (_, sql, expected) => {
    const path = await tampered(sql);
    const { code, stdout } = await seriatim(["verify", "--file", path]);
    expect(stdout).toMatch(expected);
    expect(code).toBe(1);
  });
});

describe("backup", () => {
  test("copies a space that is worked on, which goes on from there when it is put back", async () => {
    const path = temporaryFile();
    const coordinator = await open(path);
    const stop = new AbortController();
    let n = 0;
    const working = (async () => {
      while (!stop.signal.aborted) {
        n += 1;
        await coordinator.run({ agent: "a", id: `run ${n}` }, (tx) => tx.put(`k/${n}`, n));
      }
    })();
    await coordinator.run({ agent: "b", id: "before" }, (tx) => tx.put("before/x", 1));
    const copy = temporaryFile("copy.db");
    expect(await seriatim(["backup", "--file", path, copy])).toMatchObject({ code: 0, stderr: "" });
    stop.abort();
    await working;
    await coordinator.close();

    expect(await seriatim(["verify", "--file", copy])).toMatchObject({ code: 0 });
    const restored = await open(copy);
    expect(await restored.get("before/x")).toBe(1);
    // What was done by then is known to be done, and what came after is not there.
    const again = await restored.run({ agent: "b", id: "before" }, (tx) => tx.put("before/x", 2));
    expect(again).toMatchObject({ outcome: "committed", repeated: true });
    expect(await restored.run({ agent: "b", id: `run ${n}` }, (tx) => tx.put(`k/${n}`, n))).toMatchObject({
      outcome: "committed",
    });
    await restored.close();
    expect(await seriatim(["verify", "--file", copy])).toMatchObject({ code: 0 });
  });

  test("overwrites nothing", async () => {
    const path = await workedOn();
    const { code, stderr } = await seriatim(["backup", "--file", path, path]);
    expect(stderr).toContain("there is a file");
    expect(code).toBe(64);
  });
});
