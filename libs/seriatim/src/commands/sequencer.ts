import { Command, Option } from "commander";
import { pino, type Logger } from "pino";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { whole } from "../cli/numbers.ts";
import { print, printJson } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, placeOf, type Place } from "../cli/place.ts";
import { keepSequencing, type Ready } from "../cli/sequencing.ts";

interface Flags {
  readonly partitions?: string;
  readonly logLevel: string;
  readonly json?: true;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

export function sequencerCommand(): Command {
  const command = new Command("sequencer")
    .description("Kafka: decide intents and append their verdicts, until SIGTERM or Ctrl-C; any number may run")
    .option("--partitions <number,...>", "only these partitions (default: all)")
    .addOption(new Option("--log-level <level>", "of the JSON lines on stderr").choices(logLevels).default("info"));
  return addJsonFlag(addPlaceFlags(command), "print the line that says it is ready as JSON").action(sequencer);
}

async function sequencer(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const partitions = partitionsOf(flags.partitions, faults);
  checkPlace(place, faults);
  faults.check();
  if (place?.kind !== "kafka") return;
  const log = logger(flags.logLevel, place.space);
  const onReady = (ready: Ready): void => {
    if (flags.json === true) printJson({ ready: true, ...ready });
    else print(`ready: ${ready.name} sequences partitions ${ready.partitions.join(", ")} of ${ready.space}`);
  };
  await untilInterrupted((signal) => keepSequencing({ ...place, partitions, log, onReady, signal }), {
    isNormal: true,
  });
}

function checkPlace(place: Place | undefined, faults: Faults): void {
  if (place?.kind === "file")
    faults.add(
      "an embedded space needs no sequencer: every process that writes to the file decides by itself; " +
        "give --brokers and --space for one on Kafka",
    );
}

function partitionsOf(text: string | undefined, faults: Faults): number[] | undefined {
  if (text === undefined) return undefined;
  const partitions = text.split(",").map((part) => whole(part.trim(), "--partitions", 0, faults));
  return [...new Set(partitions.filter((partition) => partition !== undefined))].toSorted((a, b) => a - b);
}

/** Written at once, so that the last lines before an end are not lost. */
function logger(level: string, space: string): Logger {
  return pino({ level, base: { space, pid: process.pid } }, pino.destination({ dest: 2, sync: true }));
}
