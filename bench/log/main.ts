/* npm run bench:log -- [--only NAME] [--seconds N] [--json] */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parts } from "./parts.ts";
import { isReached, textOf, type Report } from "./report.ts";

const names = parts.map(({ name }) => name);
const help = `npm run bench:log -- [options]

  --only NAME    one part: ${names.join(", ")}; may be given again
  --seconds N    how long each measurement lasts (2)
  --folder PATH  where files are written (a folder for temporary files); on a disk in memory a sync costs nothing
  --json         for machines, to stdout
  --help

Exit codes: 0 measured, 64 bad arguments, 70 crash.
`;

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 70;
}

async function main(): Promise<number> {
  const { values, seconds, problem } = readFlags();
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n\n${help}`);
    return 64;
  }
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const chosen = values.only === undefined ? parts : parts.filter(({ name }) => values.only?.includes(name));
  const folder = mkdtempSync(join(values.folder ?? tmpdir(), "seriatim-bench-"));
  const reports: Report[] = [];
  try {
    for (const part of chosen) {
      process.stderr.write(`${part.name}: ${part.about}\n`);
      const report = await part.run({ seconds, folder, say: (text) => process.stderr.write(`  ${text}\n`) });
      reports.push(report);
      if (values.json !== true) process.stdout.write(textOf(report));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (values.json === true) process.stdout.write(`${JSON.stringify(asData(reports), null, 2)}\n`);
  return 0;
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string", multiple: true },
        seconds: { type: "string", default: "2" },
        folder: { type: "string", default: tmpdir() },
        json: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    const seconds = Number(values.seconds);
    const unknown = values.only?.find((name) => !names.includes(name));
    if (unknown !== undefined) return { values, seconds, problem: `there is no part ${unknown}: ${names.join(", ")}` };
    if (!(seconds > 0)) return { values, seconds, problem: `--seconds is a number above 0, not ${values.seconds}` };
    return { values, seconds, problem: undefined };
  } catch (error) {
    return { values: {}, seconds: 0, problem: error instanceof Error ? error.message : String(error) };
  }
}

function asData(reports: readonly Report[]) {
  return {
    node: process.version,
    processor: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    reports: reports.map((report) => ({
      ...report,
      ratios: report.ratios.map((ratio) => ({ ...ratio, reached: isReached(ratio) })),
    })),
  };
}
