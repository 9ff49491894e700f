import { Command } from "commander";
import type { Isolation } from "@seriatim/protocol";
import { brokersOf } from "../cli/address.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { count, upTo } from "../cli/flags.ts";
import { LiveLine } from "../cli/live-line.ts";
import { whole } from "../cli/numbers.ts";
import { isolationOption, performReported } from "../cli/reported-run.ts";
import { runDemo, type DemoResult } from "../demo/demo.ts";
import type { DemoOptions } from "../demo/options.ts";
import { progressText } from "../demo/progress-text.ts";
import { closingLines, openingLines } from "../demo/report.ts";
import { holds, summarise } from "../demo/summary.ts";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";

interface Flags {
  readonly isolation: Isolation;
  readonly agents: string;
  readonly runs: string;
  readonly seed: string;
  readonly think: string;
  readonly file?: string;
  readonly keep?: true;
  readonly brokers?: string;
  readonly space?: string;
  readonly partitions?: string;
  readonly sequencers?: string;
  readonly json?: true;
}

const most = { agents: 64, runs: 100_000, think: 60_000, partitions: 64, sequencers: 16 } as const;
const defaults = { partitions: 4, sequencers: 2 } as const;

const exitCodesHelp = `
Exit codes:
  0    the rules were kept, and nothing that was acknowledged was lost
  1    a rule was broken, or something was lost
  64   bad arguments; nothing was done
  70   a file, broker or process failed
  130  ended by Ctrl-C (143: by SIGTERM, or because the terminal was closed)`;

/** `seriatim demo`: agents in processes of their own compete, and what was promised is counted at the end. */
export function demoCommand(): Command {
  return new Command("demo")
    .description("let agents, each a process of its own, compete for credits and seats, and count what broke")
    .addOption(isolationOption())
    .option("--agents <count>", "how many agent processes", "8")
    .option("--runs <count>", "how many runs, all agents together", "200")
    .option("--think <ms>", "how long an agent thinks between reading and writing", "20")
    .option("--seed <number>", "who wants what; the same for the same seed", "1")
    .option("--file <path>", "the SQLite file to share (default: a temporary one, removed at the end)")
    .option("--keep", "leave the temporary file where it is")
    .option("--brokers <host:port,...>", "share a space on Kafka in place of a file")
    .option("--space <name>", "Kafka: the space (default: a new one under a random name)")
    .option("--partitions <count>", `Kafka: partitions of a new space (default: ${defaults.partitions})`)
    .option("--sequencers <count>", `Kafka: sequencer processes (default: ${defaults.sequencers})`)
    .option("--json", "print one JSON object in place of the report")
    .addHelpText("after", exitCodesHelp)
    .action((flags: Flags) => perform(flags));
}

async function perform(flags: Flags): Promise<void> {
  const options = optionsOf(flags);
  await performReported({
    json: flags.json === true,
    opening: openingLines(options),
    cutShort: "the demo was cut short; its processes end with it",
    run: (signal) => runWatched(options, signal),
    summarise,
    closing: closingLines,
    exitCode: (summary) => (holds(summary) ? exitCodes.done : exitCodes.no),
  });
}

async function runWatched(options: DemoOptions, signal: AbortSignal): Promise<DemoResult> {
  let line: LiveLine | undefined;
  try {
    return await runDemo(options, {
      signal,
      onBegin: (tally) => (line = new LiveLine((ms) => progressText(tally, options.runs, ms))),
    });
  } finally {
    line?.end();
  }
}

/** @throws BadArguments with all that is wrong. */
function optionsOf(flags: Flags): DemoOptions {
  const faults = new Faults();
  const options = {
    isolation: flags.isolation,
    agents: count(flags.agents, "--agents", most.agents, faults),
    runs: count(flags.runs, "--runs", most.runs, faults),
    seed: whole(flags.seed, "--seed", 0, faults) ?? 0,
    think: upTo(whole(flags.think, "--think", 0, faults) ?? 0, "--think", most.think, faults),
    place: placeOf(flags, faults),
  };
  faults.check();
  return options;
}

function placeOf(flags: Flags, faults: Faults): FilePlace | KafkaPlace {
  if (flags.brokers === undefined) return filePlace(flags, faults);
  for (const name of ["file", "keep"] as const)
    if (flags[name] !== undefined) faults.add(`--${name} is for a space in a file, and --brokers for one on Kafka`);
  const { brokers, space, partitions = String(defaults.partitions), sequencers = String(defaults.sequencers) } = flags;
  return {
    log: "kafka",
    brokers: brokersOf(brokers, faults),
    space,
    partitions: count(partitions, "--partitions", most.partitions, faults),
    // A space that others sequence needs none.
    sequencers: upTo(
      whole(sequencers, "--sequencers", space === undefined ? 1 : 0, faults) ?? 1,
      "--sequencers",
      most.sequencers,
      faults,
    ),
  };
}

function filePlace(flags: Flags, faults: Faults): FilePlace {
  for (const name of ["space", "partitions", "sequencers"] as const)
    if (flags[name] !== undefined) faults.add(`--${name} goes with --brokers HOST:PORT`);
  if (flags.file === "") faults.add("--file is empty; give a path");
  return { log: "sqlite", file: flags.file, keep: flags.keep === true };
}
