import { execFile } from "node:child_process";
import { copyFileSync, cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { folderOfFile } from "../support/temporary.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** As in the README's examples, with every type that they meet. */
const program = `
import { connect, defineHandlers, open, type Coordinator, type Transaction } from "seriatim";
const handlers = defineHandlers({ mail: { async call(_: unknown, { key }) { return key; } } });
const coordinator: Coordinator = await open("state.db", { handlers });
const result = await coordinator.run({ agent: "approver" }, async (tx: Transaction) => {
  const budget = (await tx.get<number>("policy/budget")) ?? 0;
  tx.put("policy/budget", budget + 1);
  tx.defer("mail", { budget });
  return budget;
});
const text: string = result.outcome === "committed" ? String(result.value + 1) : result.refusal.message;
export { connect, text };
`;

describe("the packages, installed in another project", () => {
  const project = folderOfFile();

  beforeAll(async () => {
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }');
    const packages = join(project, "packages");
    await run(process.execPath, [join(root, "tools/pack/run.mjs"), packages]);
    const tarballs = readdirSync(packages).map((name) => join(packages, name));
    const flags = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...flags, ...tarballs], { cwd: project });
    // Compiled once is enough.
    cpSync(join(root, "node_modules/better-sqlite3/build"), join(project, "node_modules/better-sqlite3/build"), {
      recursive: true,
    });
  }, 300_000);

  it("run the README's examples", async () => {
    for (const name of ["approval.mjs", "effects.mjs"]) {
      copyFileSync(join(root, "examples", name), join(project, name));
      const { stdout } = await run(process.execPath, [name], { cwd: project });
      expect(stdout).not.toBe("");
      expect(readme).toContain(`\`\`\`\n${stdout}\`\`\``);
    }
  });

  it("bring the command, and agents of their own", async () => {
    const command = join(project, "node_modules/.bin/seriatim");
    const { stdout } = await run(command, ["demo", "--agents", "2", "--runs", "20", "--json"], { cwd: project });
    expect(JSON.parse(stdout)).toMatchObject({ runs: 20, violations: 0, lost: 0, serializable: true });
  });

  it("say before they begin that the booking example is not among them", async () => {
    const booking = run(join(project, "node_modules/.bin/seriatim"), ["booking"], { cwd: project });
    await expect(booking).rejects.toMatchObject({
      code: 64,
      stdout: "",
      stderr: expect.stringMatching(/^seriatim: the example is not here: .*run it in a clone/) as string,
    });
  });

  it.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])("have types that are whole, with --module %s", async (module, moduleResolution) => {
    writeFileSync(join(project, "program.ts"), program);
    const checks = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
    const compilerOptions = { module, moduleResolution, target: "es2022", types: ["node"], noEmit: true, ...checks };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    await run(join(root, "node_modules/.bin/tsc"), ["-p", project]);
  });

  it("carry the licence, and nothing that names what was left behind", () => {
    const scope = join(project, "node_modules/@seriatim");
    const installed = [...readdirSync(scope).map((name) => join(scope, name)), join(project, "node_modules/seriatim")];
    expect(installed).toHaveLength(readdirSync(join(project, "packages")).length);
    for (const folder of installed) {
      expect(readFileSync(join(folder, "LICENSE"), "utf8")).toContain("Apache License");
      expect(readFileSync(join(folder, "package.json"), "utf8")).not.toContain('"source"');
    }
  });
});
