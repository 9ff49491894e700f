import { Command } from "commander";
import type { Isolation } from "@seriatim/protocol";
import { runBooking, type BookingResult } from "../booking/booking.ts";
import type { BookingOptions } from "../booking/options.ts";
import { closingLines, openingLines } from "../booking/report.ts";
import { summarise, type BookingSummary } from "../booking/summary.ts";
import { brokersOf } from "../cli/address.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { count } from "../cli/flags.ts";
import { LiveLine } from "../cli/live-line.ts";
import { whole } from "../cli/numbers.ts";
import { isolationOption, performReported } from "../cli/reported-run.ts";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";

interface Flags {
  readonly isolation: Isolation;
  readonly agents: string;
  readonly seats: string;
  readonly seed: string;
  readonly file?: string;
  readonly brokers?: string;
  readonly space?: string;
  readonly json?: true;
}

const most = { agents: 64, seats: 1_000 } as const;
/** Of a space on Kafka. */
const fresh = { partitions: 4, sequencers: 2 } as const;

const exitCodesHelp = `
Exit codes:
  0    every seat was sold once, who booked is confirmed, no hold is left behind
  1    it is not so, or the checker objects
  2    undecided: what was asked of the box office was not done in time
  64   bad arguments; nothing was done
  70   a file, broker or process failed
  130  ended by Ctrl-C (143: by SIGTERM, or because the terminal was closed)`;

/** `seriatim booking`: agents compete for seats that a server outside holds, confirms and gives back. */
export function bookingCommand(): Command {
  return new Command("booking")
    .description("let agents book seats at a box office that fails and stalls, and see that nothing dangles")
    .addOption(isolationOption())
    .option("--agents <count>", "how many agent processes", "8")
    .option("--seats <count>", "how many seats they compete for", "4")
    .option("--seed <number>", "which requests the box office fails, and who wants which seat", "1")
    .option("--file <path>", "the SQLite file to share (default: a temporary one, removed at the end)")
    .option("--brokers <host:port,...>", "share a space on Kafka in place of a file")
    .option("--space <name>", "Kafka: the space (default: a new one under a random name)")
    .option("--json", "print one JSON object in place of the report")
    .addHelpText("after", exitCodesHelp)
    .action((flags: Flags) => perform(flags));
}

async function perform(flags: Flags): Promise<void> {
  const options = optionsOf(flags);
  await performReported({
    json: flags.json === true,
    opening: openingLines(options),
    cutShort: "the booking was cut short; its processes end with it",
    run: (signal) => runWatched(options, signal),
    summarise,
    closing: closingLines,
    exitCode: exitCodeOf,
  });
}

async function runWatched(options: BookingOptions, signal: AbortSignal): Promise<BookingResult> {
  let stage = "";
  const line = new LiveLine((ms) => `${(ms / 1000).toFixed(1)} s  ${stage}`);
  try {
    return await runBooking(options, { signal, onStage: (next) => (stage = next) });
  } finally {
    line.end();
  }
}

function exitCodeOf({ problems, settled }: BookingSummary): number {
  if (!settled) return exitCodes.undecided;
  return problems.length === 0 ? exitCodes.done : exitCodes.no;
}

/** @throws BadArguments with all that is wrong. */
function optionsOf(flags: Flags): BookingOptions {
  const faults = new Faults();
  const options = {
    isolation: flags.isolation,
    agents: count(flags.agents, "--agents", most.agents, faults),
    seats: count(flags.seats, "--seats", most.seats, faults),
    seed: whole(flags.seed, "--seed", 0, faults) ?? 0,
    place: placeOf(flags, faults),
  };
  faults.check();
  return options;
}

function placeOf({ file, brokers, space }: Flags, faults: Faults): FilePlace | KafkaPlace {
  if (brokers === undefined) {
    if (space !== undefined) faults.add("--space goes with --brokers HOST:PORT");
    if (file === "") faults.add("--file is empty; give a path");
    return { log: "sqlite", file, keep: false };
  }
  if (file !== undefined) faults.add("--file is for a space in a file, and --brokers for one on Kafka");
  return { log: "kafka", brokers: brokersOf(brokers, faults), space, ...fresh };
}
