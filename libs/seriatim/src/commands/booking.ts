import { Command } from "commander";
import { runBooking, type BookingResult } from "../booking/booking.ts";
import { exampleHandlers } from "../booking/example.ts";
import type { BookingOptions } from "../booking/options.ts";
import { closingLines, openingLines } from "../booking/report.ts";
import { summarise, type BookingSummary } from "../booking/summary.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { count } from "../cli/flags.ts";
import { LiveLine } from "../cli/live-line.ts";
import { performReported } from "../cli/reported-run.ts";
import { addRunFlags, runOptionsOf, type RunFlags } from "../cli/run-flags.ts";

interface Flags extends RunFlags {
  readonly seats: string;
}

const mostSeats = 1_000;

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
  const command = new Command("booking")
    .description("let agents book seats at a box office that fails and stalls, and see that nothing dangles")
    .option("--seats <count>", "how many seats they compete for", "4");
  return addRunFlags(command, { seed: "which requests the box office fails, and who wants which seat" })
    .addHelpText("after", exitCodesHelp)
    .action((flags: Flags) => perform(flags));
}

async function perform(flags: Flags): Promise<void> {
  const options = optionsOf(flags);
  // Before anything is started: an installed package comes without the example.
  exampleHandlers();
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
    ...runOptionsOf(flags, faults),
    seats: count(flags.seats, "--seats", mostSeats, faults),
  };
  faults.check();
  return options;
}
