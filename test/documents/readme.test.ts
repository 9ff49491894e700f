import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const examples = ["approval.mjs", "effects.mjs"];

it.each(examples)("the README shows the example %s as it is", (name) => {
  expect(readme).toContain(`\`\`\`js\n${readFileSync(join(root, "examples", name), "utf8")}\`\`\``);
});

it.each(examples)("the example %s prints what the README says, the second time too", async (name) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "libs/seriatim"), join(folder, "node_modules/seriatim"));
  copyFileSync(join(root, "examples", name), join(folder, name));
  for (let time = 1; time <= 2; time += 1) {
    const { stdout } = await run(process.execPath, [name], { cwd: folder });
    expect(stdout).not.toBe("");
    expect(readme).toContain(`\`\`\`\n${stdout}\`\`\``);
  }
});
