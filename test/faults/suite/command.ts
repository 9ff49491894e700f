import { parseArgs } from "node:util";
import { lineOf, type Report } from "./report.ts";
import { runFaults } from "./run-faults.ts";

const help = `npm run test:faults -- [--seconds N] [--seed S] [--brokers own|HOST:PORT,...] [--json]

A space for a team at work: three sequencers, eight agents, two effects workers and a viewer, each a process. They are
killed, paused, and have their views and their group deleted, their clocks put wrong, their network cut, and the broker
killed, paused and restarted. Afterwards the logs are judged, and what agents and the world outside were told. Needs the
build (npm run build), and for a broker of its own Java 17 and, the first time, Maven. The seed determines which faults
fall, on whom, and after how much progress, not how the processes interleave.

  --seconds N      how long faults fall, and each kind once at least; 180 unless given
  --seed S         a whole number; one drawn at random unless given
  --brokers WHERE  own (the default), or addresses: then neither broker nor network have faults
  --json           the result as JSON

Exit codes: 0 all held; 1 something did not; 64 bad arguments; 70 the run itself failed
`;

/** @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (typeof options === "string") {
    process.stderr.write(options);
    return options === help ? 0 : 64;
  }
  // So that what runs below ends with us.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  const again = `npm run test:faults -- --seconds ${options.seconds} --seed ${options.seed}`;
  process.stderr.write(`seed ${options.seed}; again: ${again}\n`);
  const begun = performance.now();
  try {
    const report = await runFaults({
      ...options,
      onFault: (fault) => process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1)} s  ${fault}\n`),
    });
    return told(report, options.json, again);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\nagain: ${again}\n`);
    return 70;
  }
}

function told(report: Report, asJson: boolean, again: string): number {
  for (const violation of report.violations) process.stderr.write(`${violation}\n`);
  const isSound = report.violations.length === 0;
  if (!isSound) process.stderr.write(`again: ${again}\n`);
  process.stdout.write(`${asJson ? JSON.stringify(report) : lineOf(report)}\n`);
  return isSound ? 0 : 1;
}

interface Options {
  readonly seconds: number;
  readonly seed: number;
  readonly brokers: readonly string[] | undefined;
  readonly json: boolean;
}

function optionsOf(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seconds: { type: "string", default: "180" },
        seed: { type: "string", default: String(Math.floor(Math.random() * 1e6)) },
        brokers: { type: "string", default: "own" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return help;
    const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
    if (!(seconds >= 0)) return "--seconds must be a number from 0 on\n";
    if (!Number.isSafeInteger(seed) || seed < 0) return "--seed must be a whole number\n";
    const brokers = values.brokers === "own" ? undefined : values.brokers.split(",");
    return { seconds, seed, brokers, json: values.json };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n`;
  }
}
