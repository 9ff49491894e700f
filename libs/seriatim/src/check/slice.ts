import type { Command } from "commander";
import { logNames, type LogName, type Slice } from "@seriatim/checker";
import type { Faults } from "../cli/faults.ts";
import { whole } from "../cli/numbers.ts";

export interface SliceFlags {
  readonly from?: string;
  readonly to?: string;
  readonly partition?: string;
  readonly logs?: string;
}

/** Declares the flags that say which part of a space is read. */
export function addSliceFlags(command: Command): Command {
  return command
    .option("--from <offset>", "only from this intents offset on (default: all)")
    .option("--to <offset>", "only up to this intents offset, inclusive (default: all)")
    .option("--partition <number>", "only this partition (default: all)")
    .option(
      "--logs <names>",
      "which logs to read, by commas: intents, verdicts, effects (default: those that are there)",
    );
}

export function sliceOf(flags: SliceFlags, faults: Faults): Slice {
  const from = whole(flags.from, "--from", 0, faults);
  const to = whole(flags.to, "--to", 0, faults);
  const partition = whole(flags.partition, "--partition", 0, faults);
  if (from !== undefined && to !== undefined && to < from) faults.add(`--to ${to} is below --from ${from}`);
  return { from, to, partition };
}

/** Undefined when not given. */
export function logsOf({ logs }: SliceFlags, faults: Faults): readonly LogName[] | undefined {
  if (logs === undefined) return undefined;
  const names = logs.split(",").map((name) => name.trim());
  if (names.every((name): name is LogName => (logNames as readonly string[]).includes(name))) return names;
  faults.add(`--logs is ${JSON.stringify(logs)}; name some of ${logNames.join(", ")}, with commas`);
  return undefined;
}
