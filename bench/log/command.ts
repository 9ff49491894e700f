import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isReached, textOf, type Part, type Report } from "./report.ts";

export interface Command {
  /** As npm runs it. */
  readonly name: string;
  readonly parts: readonly Part[];
  /** How many versions a view is rebuilt from, unless told otherwise; undefined where none is. */
  readonly versions?: number;
}

/** Measures the parts that the arguments name, prints what was found, and sets the exit code. */
export async function runCommand(command: Command): Promise<void> {
  try {
    process.exitCode = await main(command);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 70;
  }
}

function helpOf({ name, parts, versions }: Command): string {
  const more =
    versions === undefined ? "" : `  --versions N   how many versions a view is rebuilt from (${versions})\n`;
  return `npm run ${name} -- [options]

  --only NAME    one part: ${namesOf(parts).join(", ")}; may be given again
  --seconds N    how long each measurement lasts (2)
${more}  --folder PATH  where files are written (a folder for temporary files); on a disk in memory a sync costs nothing
  --json         for machines, to stdout
  --help

Exit codes: 0 measured, 64 bad arguments, 70 crash, 130 ended by a signal.
`;
}

function namesOf(parts: readonly Part[]): string[] {
  return parts.map(({ name }) => name);
}

async function main(command: Command): Promise<number> {
  const { parts } = command;
  const help = helpOf(command);
  const flags = readFlags(command);
  if (flags.problem !== undefined) {
    process.stderr.write(`${flags.problem}\n\n${help}`);
    return 64;
  }
  const { values, seconds, versions } = flags;
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const chosen = values.only === undefined ? parts : parts.filter(({ name }) => values.only?.includes(name));
  const folder = mkdtempSync(join(values.folder ?? tmpdir(), "seriatim-bench-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // So that what runs below ends with us.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const reports: Report[] = [];
  for (const part of chosen) {
    process.stderr.write(`${part.name}: ${part.about}\n`);
    const report = await part.run({ seconds, versions, folder, say: (text) => process.stderr.write(`  ${text}\n`) });
    reports.push(report);
    if (values.json !== true) process.stdout.write(textOf(report));
  }
  if (values.json === true) process.stdout.write(`${JSON.stringify(asData(reports), null, 2)}\n`);
  return 0;
}

function readFlags({ parts, versions: defaultVersions }: Command) {
  const names = namesOf(parts);
  try {
    const { values } = parseArgs({
      options: {
        only: { type: "string", multiple: true },
        seconds: { type: "string", default: "2" },
        versions: { type: "string" },
        folder: { type: "string", default: tmpdir() },
        json: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    const seconds = Number(values.seconds);
    const versions = Number(values.versions ?? defaultVersions ?? 0);
    const isKnown = values.versions === undefined || defaultVersions !== undefined;
    const problem = isKnown ? problemOf(values, { seconds, versions, names }) : "--versions is not for this command";
    return problem === undefined ? { values, seconds, versions, problem } : { problem };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

function problemOf(
  values: { readonly only?: readonly string[]; readonly seconds: string; readonly versions?: string },
  {
    seconds,
    versions,
    names,
  }: { readonly seconds: number; readonly versions: number; readonly names: readonly string[] },
): string | undefined {
  const unknown = values.only?.find((name) => !names.includes(name));
  if (unknown !== undefined) return `there is no part ${unknown}: ${names.join(", ")}`;
  if (!(seconds > 0)) return `--seconds is a number above 0, not ${values.seconds}`;
  if (!Number.isSafeInteger(versions) || versions < 0)
    return `--versions is a whole number, not ${values.versions ?? ""}`;
  return undefined;
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
