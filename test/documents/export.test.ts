import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { seriatim } from "../cli/command.ts";
import { temporaryFolder } from "../support/temporary.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/export.md", import.meta.url)), "utf8");

it("the history written by hand is judged as docs/export.md says", async () => {
  const [, history = ""] = /```jsonl\n(.*?)```/s.exec(page) ?? [];
  const [, shown = ""] = /\$ seriatim check duty\.jsonl\n(.*?)```/s.exec(page) ?? [];
  const folder = temporaryFolder();
  writeFileSync(`${folder}/duty.jsonl`, history);
  const { code, stdout } = await seriatim(["check", "duty.jsonl"], { cwd: folder });
  expect(code).toBe(1);
  expect(shown).not.toBe("");
  expect(stdout).toBe(shown);
});
