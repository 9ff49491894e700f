/* npm run bench:effects -- [--brokers HOST:PORT] [--effects N] [--json] */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { httpServer, noop } from "./handlers.ts";
import { measure, type Measured } from "./measure.ts";
import { inFile, onKafka, type BenchPlace } from "./places.ts";

const help = `npm run bench:effects -- [options]

  --brokers HOST:PORT,...  measure it on this Kafka too
  --effects N              how many effects each measurement calls (2000)
  --json                   for machines, to stdout
  --help

Exit codes: 0 measured, 64 bad arguments, 70 crash.
`;

const { values } = parseArgs({
  options: {
    brokers: { type: "string" },
    effects: { type: "string", default: "2000" },
    json: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const count = Number(values.effects);

if (values.help === true) {
  process.stdout.write(help);
} else if (!Number.isSafeInteger(count) || count < 1) {
  process.stderr.write(`--effects is a whole number from 1, not ${values.effects}\n\n${help}`);
  process.exitCode = 64;
} else {
  const folder = mkdtempSync(join(tmpdir(), "seriatim-bench-"));
  try {
    report(await measureAll(folder));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 70;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAll(folder: string): Promise<Measured[]> {
  const found: Measured[] = [];
  const brokers = values.brokers?.split(",");
  const places = [
    inFile,
    ...(brokers === undefined ? [] : [(at: string): Promise<BenchPlace> => onKafka(brokers, at)]),
  ];
  for (const begin of places)
    for (const called of [noop, await httpServer()]) {
      for (const lanes of [1, 8, 64]) {
        const place = await begin(folder);
        process.stderr.write(`${place.name}, calling ${called.name}, ${lanes} lanes\n`);
        found.push(await measure(place, called, lanes, count));
        await place.close();
      }
      called.close();
    }
  return found;
}

function report(found: readonly Measured[]): void {
  if (values.json === true) {
    const machine = { node: process.version, processor: cpus()[0]?.model ?? "unknown", cores: cpus().length };
    process.stdout.write(`${JSON.stringify({ ...machine, effects: count, found }, null, 2)}\n`);
    return;
  }
  for (const { where, calls, lanes, effectsPerSecond, bareCallsPerSecond, ratio } of found) {
    const figures = `${Math.round(effectsPerSecond)} effects/s, ${Math.round(bareCallsPerSecond)} bare calls/s`;
    process.stdout.write(`${where}, calling ${calls}, ${lanes} lanes: ${figures}: ${ratio.toPrecision(2)}\n`);
  }
}
