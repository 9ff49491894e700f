import { Command, Option } from "commander";
import { addEffectsFileFlag, addHandlerFlags, handlersOf, type HandlerFlags } from "../cli/effects-flags.ts";
import { listenOf } from "../cli/address.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { positive, whole } from "../cli/numbers.ts";
import { print, printJson } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, placeOf } from "../cli/place.ts";
import { addServiceFlags, loggerOf, partitionsOf, type ServiceFlags } from "../cli/service-flags.ts";
import { EffectsMetrics, type WorkerAtWork } from "../service/effects-metrics.ts";
import { whileServing } from "../service/health.ts";
import { keepWorking } from "../service/keep-working.ts";
import { createRegistry } from "../service/registry.ts";

interface Flags extends HandlerFlags, ServiceFlags {
  readonly partitions?: string;
  readonly concurrency?: string;
  readonly grace?: string;
  readonly effects?: string;
  readonly json?: true;
}

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
    );
  addServiceFlags(addEffectsFileFlag(addHandlerFlags(addPlaceFlags(command))));
  return addJsonFlag(command, "print the line that says it is ready as JSON").action(effectsWorker);
}

async function effectsWorker(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const handlers = await handlersOf(flags, faults);
  const partitions = partitionsOf(flags.partitions, faults);
  const concurrency = whole(flags.concurrency, "--concurrency", 1, faults);
  const grace = flags.grace === undefined ? undefined : positive(flags.grace, "--grace", faults);
  const listen = listenOf(flags.listen, faults);
  if (place?.kind === "file" && command.getOptionValueSource("effects") === "cli")
    faults.add("--effects goes with --brokers, not with --file: an embedded space keeps everything in its file");
  faults.check();
  if (place === undefined) return;
  const name = place.kind === "file" ? place.path : place.space;
  const log = loggerOf(flags, name);
  let current: WorkerAtWork | undefined;
  const exported = new EffectsMetrics(createRegistry(name), () => current);
  const health = {
    sickness: () => undefined,
    unreadiness: () => (current === undefined ? "no worker has begun, or the log is away" : undefined),
  };
  const onReady = (worker: string): void => {
    if (flags.json === true) printJson({ ready: true, name: worker, handlers: [...handlers.keys()] });
    else print(`ready: ${worker} calls ${[...handlers.keys()].join(", ")}`);
  };
  const work = (signal: AbortSignal): Promise<void> =>
    keepWorking({
      place,
      effectsFile: flags.effects,
      handlers,
      partitions,
      concurrency,
      grace: grace === undefined ? undefined : grace * 1000,
      log,
      onReady,
      onWorker: (worker) => (current = worker),
      signal,
    });
  await untilInterrupted((signal) => whileServing(listen, { exported, health, log }, () => work(signal)), {
    isNormal: true,
    patience,
  });
}
