import { Command, Option } from "commander";
import { pino, type Logger } from "pino";
import { listenOf } from "../cli/address.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { whole } from "../cli/numbers.ts";
import { print, printJson } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, placeOf, type Place } from "../cli/place.ts";
import { keepSequencing } from "../service/keep-sequencing.ts";
import { SequencerService } from "../service/sequencer-service.ts";
import type { Ready, Sharing } from "../service/sequencing.ts";

interface Flags {
  readonly partitions?: string;
  readonly standby: "all" | "none";
  readonly listen?: string;
  readonly logLevel: string;
  readonly json?: true;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

export function sequencerCommand(): Command {
  const command = new Command("sequencer")
    .description("Kafka: decide intents and append their verdicts, until SIGTERM or Ctrl-C; any number may run")
    .addOption(
      new Option(
        "--partitions <number,...>",
        "lead these partitions, whoever else does (default: a consumer group shares them out)",
      ).env("SERIATIM_PARTITIONS"),
    )
    .addOption(
      new Option("--standby <which>", "of the partitions that others lead, follow these, to step in at once")
        .choices(["all", "none"])
        .default("all")
        .env("SERIATIM_STANDBY"),
    )
    .addOption(
      new Option("--listen <host:port>", "serve /healthz, /readyz and /metrics there (default: nowhere)").env(
        "SERIATIM_LISTEN",
      ),
    )
    .addOption(
      new Option("--log-level <level>", "of the JSON lines on stderr")
        .choices(logLevels)
        .default("info")
        .env("SERIATIM_LOG_LEVEL"),
    );
  return addJsonFlag(addPlaceFlags(command), "print the line that says it is ready as JSON").action(sequencer);
}

async function sequencer(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const sharing = sharingOf(flags, command, faults);
  const listen = listenOf(flags.listen, faults);
  checkPlace(place, faults);
  faults.check();
  if (place?.kind !== "kafka") return;
  const log = logger(flags.logLevel, place.space);
  const onReady = (ready: Ready): void => {
    if (flags.json === true) printJson({ ready: true, ...ready });
    else print(`ready: ${ready.name} sequences partitions ${ready.partitions.join(", ")} of ${ready.space}`);
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    const options = { ...place, sharing, log, onReady, signal };
    if (listen === undefined) return keepSequencing(options);
    const service = await SequencerService.listen(place.space, listen, log);
    return service.run(options);
  };
  await untilInterrupted(work, { isNormal: true });
}

function checkPlace(place: Place | undefined, faults: Faults): void {
  if (place?.kind === "file")
    faults.add(
      "an embedded space needs no sequencer: every process that writes to the file decides by itself; " +
        "give --brokers and --space for one on Kafka",
    );
}

function sharingOf(flags: Flags, command: Command, faults: Faults): Sharing {
  const { partitions, standby } = flags;
  if (partitions === undefined || partitions === "") return { kind: "group", standby };
  if (command.getOptionValueSource("standby") === "cli")
    faults.add("--standby goes without --partitions: those given are led, and no others are followed");
  return { kind: "fixed", partitions: partitionsOf(partitions, faults) };
}

function partitionsOf(text: string, faults: Faults): number[] {
  const partitions = text.split(",").map((part) => whole(part.trim(), "--partitions", 0, faults));
  return [...new Set(partitions.filter((partition) => partition !== undefined))].toSorted((a, b) => a - b);
}

/** Written at once, so that the last lines before an end are not lost. */
function logger(level: string, space: string): Logger {
  return pino({ level, base: { space, pid: process.pid } }, pino.destination({ dest: 2, sync: true }));
}
