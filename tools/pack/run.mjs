/*
 * npm run pack -- FOLDER: writes each package as a tarball into FOLDER, made if need be, for `npm install FOLDER/*.tgz`
 * in another project. Exit codes: 0 done, 64 bad arguments, 70 something failed.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

const [folder, ...others] = process.argv.slice(2);
if (folder === undefined || folder.startsWith("-") || others.length > 0) {
  console.error("usage: npm run pack -- FOLDER, into which the tarballs go");
  process.exit(64);
}

const stage = mkdtempSync(join(tmpdir(), "seriatim-pack-"));
try {
  console.log(packInto(resolve(folder)).join("\n"));
} catch (error) {
  console.error(`pack: ${error.message}`);
  process.exitCode = 70;
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** @returns {string[]} the paths of the tarballs. */
function packInto(into) {
  mkdirSync(into, { recursive: true });
  const staged = readJson(join(root, "package.json")).workspaces.flatMap(stagePackage);
  const flags = ["--json", "--ignore-scripts", "--pack-destination", into];
  // What npm says of each file goes nowhere; what it fails of is in the error.
  const output = execFileSync("npm", ["pack", ...flags, ...staged], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return JSON.parse(output).map(({ filename }) => join(into, filename));
}

/** A package as it is sent: with the licence, and without what only this repository uses. Nothing for a private one. */
function stagePackage(workspace) {
  const manifest = readJson(join(root, workspace, "package.json"));
  if (manifest.private === true) return [];
  const to = join(stage, workspace);
  const from = join(root, workspace);
  cpSync(from, to, { recursive: true, filter: (path) => isSent(relative(from, path), from) });
  cpSync(join(root, "LICENSE"), join(to, "LICENSE"));
  if (manifest.bin !== undefined) cpSync(join(root, "README.md"), join(to, "README.md"));
  // Tests of this repository run on the sources; nobody else's bundler is to find TypeScript in an installed package.
  for (const entry of Object.values(manifest.exports)) delete entry.source;
  // The maps of what was compiled name the sources.
  const files = manifest.files.includes("dist") ? [...manifest.files, "src"] : manifest.files;
  writeFileSync(join(to, "package.json"), `${JSON.stringify({ ...manifest, files }, null, 2)}\n`);
  return [to];
}

/** What an earlier build has left of sources that are gone is not, nor is what the compiler notes for itself. */
function isSent(path, within) {
  if (path === "node_modules" || path.endsWith(".tsbuildinfo")) return false;
  const [, name] = /^dist\/(.*?)\.(?:d\.ts|js|js\.map)$/.exec(path) ?? [];
  return name === undefined || existsSync(join(within, "src", `${name}.ts`));
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
