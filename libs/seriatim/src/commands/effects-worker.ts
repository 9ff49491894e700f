import { Command, Option } from "commander";
import { pino, type Logger } from "pino";
import { addEffectsFileFlag, addHandlerFlags, handlersOf, type HandlerFlags } from "../cli/effects-flags.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { positive, whole } from "../cli/numbers.ts";
import { print, printJson } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, placeOf, type Place } from "../cli/place.ts";
import { keepWorking } from "../service/keep-working.ts";

interface Flags extends HandlerFlags {
  readonly partitions?: string;
  readonly concurrency?: string;
  readonly grace?: string;
  readonly effects?: string;
  readonly logLevel: string;
  readonly json?: true;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** How long calls under way may take to end after a signal, in ms. */
const patience = 4_000;

export function effectsWorkerCommand(): Command {
  const command = new Command("effects-worker")
    .description("call what committed intents deferred, until SIGTERM or Ctrl-C; any number may run")
    .addOption(new Option("--partitions <number,...>", "only these (default: all)").env("SERIATIM_PARTITIONS"))
    .addOption(
      new Option("--concurrency <number>", "how many calls to make at once (default: 64)").env("SERIATIM_CONCURRENCY"),
    )
    .addOption(
      new Option(
        "--grace <seconds>",
        "how long after a call's time-out to take it over from a silent worker; the same for all (default: 5)",
      ).env("SERIATIM_GRACE"),
    )
    .addOption(
      new Option("--log-level <level>", "of the JSON lines on stderr")
        .choices(logLevels)
        .default("info")
        .env("SERIATIM_LOG_LEVEL"),
    );
  addEffectsFileFlag(addHandlerFlags(addPlaceFlags(command)));
  return addJsonFlag(command, "print the line that says it is ready as JSON").action(effectsWorker);
}

async function effectsWorker(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const handlers = await handlersOf(flags, faults);
  const partitions = partitionsOf(flags.partitions, faults);
  const concurrency = whole(flags.concurrency, "--concurrency", 1, faults);
  const grace = flags.grace === undefined ? undefined : positive(flags.grace, "--grace", faults);
  if (place?.kind === "file" && command.getOptionValueSource("effects") === "cli")
    faults.add("--effects goes with --brokers, not with --file: an embedded space keeps everything in its file");
  faults.check();
  if (place === undefined) return;
  const log = logger(flags.logLevel, place);
  const onReady = (name: string): void => {
    if (flags.json === true) printJson({ ready: true, name, handlers: [...handlers.keys()] });
    else print(`ready: ${name} calls ${[...handlers.keys()].join(", ")}`);
  };
  await untilInterrupted(
    (signal) =>
      keepWorking({
        place,
        effectsFile: flags.effects,
        handlers,
        partitions,
        concurrency,
        grace: grace === undefined ? undefined : grace * 1000,
        log,
        onReady,
        signal,
      }),
    { isNormal: true, patience },
  );
}

function partitionsOf(text: string | undefined, faults: Faults): number[] | undefined {
  if (text === undefined || text === "") return undefined;
  const partitions = text.split(",").map((part) => whole(part.trim(), "--partitions", 0, faults));
  return [...new Set(partitions.filter((partition) => partition !== undefined))].toSorted((a, b) => a - b);
}

/** Written at once, so that the last lines before an end are not lost. */
function logger(level: string, place: Place): Logger {
  const space = place.kind === "file" ? place.path : place.space;
  return pino({ level, base: { space, pid: process.pid } }, pino.destination({ dest: 2, sync: true }));
}
