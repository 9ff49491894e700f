import { Command, Option } from "commander";
import { listenOf } from "../cli/address.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { print, printJson } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, placeOf, type Place } from "../cli/place.ts";
import { addServiceFlags, loggerOf, partitionsOf, type ServiceFlags } from "../cli/service-flags.ts";
import { keepSequencing } from "../service/keep-sequencing.ts";
import { SequencerService } from "../service/sequencer-service.ts";
import type { Ready, Sharing } from "../service/sequencing.ts";

interface Flags extends ServiceFlags {
  readonly partitions?: string;
  readonly standby: "all" | "none";
  readonly json?: true;
}

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
    );
  return addJsonFlag(addServiceFlags(addPlaceFlags(command)), "print the line that says it is ready as JSON").action(
    sequencer,
  );
}

async function sequencer(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const sharing = sharingOf(flags, command, faults);
  const listen = listenOf(flags.listen, faults);
  checkPlace(place, faults);
  faults.check();
  if (place?.kind !== "kafka") return;
  const log = loggerOf(flags, place.space);
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
  const { standby } = flags;
  const partitions = partitionsOf(flags.partitions, faults);
  if (partitions === undefined) return { kind: "group", standby };
  if (command.getOptionValueSource("standby") === "cli")
    faults.add("--standby goes without --partitions: those given are led, and no others are followed");
  return { kind: "fixed", partitions };
}
