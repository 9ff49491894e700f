import { loadRules } from "@seriatim/checker";
import { Command, Option } from "commander";
import { listenOf } from "../cli/address.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { print } from "../cli/output.ts";
import { addPlaceFlags, placeOf } from "../cli/place.ts";
import { addServiceFlags, loggerOf, type ServiceFlags } from "../cli/service-flags.ts";
import { whileServing } from "../service/health.ts";
import { keepWatching } from "../service/keep-watching.ts";
import { createRegistry } from "../service/registry.ts";
import { RulesWatch } from "../service/rules-watch.ts";

interface Flags extends ServiceFlags {
  readonly invariant: readonly string[];
}

export function watchCommand(): Command {
  const command = new Command("watch")
    .description("evaluate rules after every commit, from the log's start on, and export how often they were broken")
    .addOption(
      new Option("--invariant <path>", "a rule file, as `seriatim check` takes it; may be given again")
        .argParser((path: string, before: readonly string[]) => [...before, path])
        .default([] as readonly string[], "none")
        .env("SERIATIM_INVARIANT"),
    );
  return addServiceFlags(addPlaceFlags(command)).action(watch);
}

async function watch(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const listen = listenOf(flags.listen, faults);
  const paths = flags.invariant.filter((path) => path !== "");
  if (paths.length === 0) faults.add("--invariant is missing: it names the file of the rules to watch");
  const rules = await Promise.all(paths.map((path) => faults.fromPromise(loadRules(path))));
  faults.check();
  if (place === undefined) return;
  const name = place.kind === "file" ? place.path : place.space;
  const log = loggerOf(flags, name);
  const watched = new RulesWatch(
    createRegistry(name),
    rules.flatMap((found) => found ?? []),
    log,
  );
  const onReady = (): void => print(`ready: ${watched.names.join(", ")} watched in ${name}`);
  await untilInterrupted(
    (signal) =>
      whileServing(listen, { exported: watched, health: watched, log }, () =>
        keepWatching({ place, watched, log, onReady, signal }),
      ),
    { isNormal: true },
  );
}
