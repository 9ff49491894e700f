/* npm run bench:mcp -- [--brokers HOST:PORT] [--calls N] [--only crowds|speed] [--json] */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { crowd, crowds, type Crowd } from "./crowds.ts";
import { speeds, type Speed } from "./speed.ts";
import { onFile, onKafka, theReference, type Subject } from "./subjects.ts";
import { crowdTable, speedTable } from "./tables.ts";

const help = `npm run bench:mcp -- [options]

  --brokers HOST:PORT,...  measure it on this Kafka too
  --calls N                how many calls each client makes, one after another, where speed is measured (100)
  --only crowds|speed      one part: what stands of calls made at once; how fast calls are
  --json                   for machines, to stdout
  --help

Exit codes: 0 measured, 64 bad arguments, 70 crash.
`;

interface Results {
  readonly crowds: readonly Crowd[];
  readonly speeds: readonly Speed[];
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 70;
}

async function main(): Promise<number> {
  const { values, problem } = readFlags();
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n\n${help}`);
    return 64;
  }
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const subjects = [theReference, onFile, ...(values.brokers === undefined ? [] : [onKafka(values.brokers)])];
  const folder = mkdtempSync(join(tmpdir(), "seriatim-bench-"));
  try {
    report(await measure(subjects, folder, Number(values.calls), values.only), values.json === true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

async function measure(
  subjects: readonly Subject[],
  folder: string,
  calls: number,
  only: string | undefined,
): Promise<Results> {
  const stood: Crowd[] = [];
  const fast: Speed[] = [];
  for (const { processes, each } of only === "speed" ? [] : crowds)
    for (const subject of subjects) {
      process.stderr.write(`${subject.name}: ${processes} processes, ${each} calls each at once\n`);
      stood.push(await crowd(subject, folder, processes, each));
    }
  for (const clients of only === "crowds" ? [] : [1, 8])
    for (const subject of subjects) {
      process.stderr.write(`${subject.name}: ${clients} clients, ${calls} calls each in turn\n`);
      fast.push(...(await speeds(subject, folder, clients, calls)));
    }
  return { crowds: stood, speeds: fast };
}

function report(results: Results, json: boolean): void {
  if (json) {
    const machine = { node: process.version, processor: cpus()[0]?.model ?? "unknown", cores: cpus().length };
    process.stdout.write(`${JSON.stringify({ ...machine, ...results }, null, 2)}\n`);
    return;
  }
  if (results.crowds.length > 0) process.stdout.write(`${crowdTable(results.crowds)}\n`);
  if (results.speeds.length > 0) process.stdout.write(speedTable(results.speeds));
}

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        brokers: { type: "string" },
        calls: { type: "string", default: "100" },
        only: { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
    if (!(Number.isSafeInteger(Number(values.calls)) && Number(values.calls) > 0))
      return { values, problem: `--calls is a whole number from 1, not ${values.calls}` };
    if (values.only !== undefined && !["crowds", "speed"].includes(values.only))
      return { values, problem: `there is no part ${values.only}: crowds, speed` };
    return { values, problem: undefined };
  } catch (error) {
    return { values: {}, problem: error instanceof Error ? error.message : String(error) };
  }
}
