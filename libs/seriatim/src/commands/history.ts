import { Command } from "commander";
import { decodeValue } from "@seriatim/client";
import { partitionKeyOf, toKey, type Version } from "@seriatim/protocol";
import type { HistoryEntry } from "@seriatim/view";
import { nameOf } from "../advances.ts";
import { checkKey, parseAsOf } from "../cli/arguments.ts";
import { Refused } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { whole } from "../cli/numbers.ts";
import { withSpace, type OpenSpace } from "../cli/open-space.ts";
import { escapeUnprintable, printJson, printTable, valueJson, valueText } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, addWaitFlag, placeOf, waitOf } from "../cli/place.ts";
import { partitionOfKey, snapshotAt } from "../cli/snapshots.ts";

interface Flags {
  readonly asOf?: string;
  readonly limit: string;
  readonly json?: true;
  readonly wait: string;
}

export function historyCommand(): Command {
  const command = new Command("history")
    .description("print who wrote a key, when and what, newest first: version, log time, agent, intent, value")
    .argument("<key>", 'as in "policy/budget"')
    .option("--limit <number>", "at most so many writes", "100")
    .option("--as-of <version|time>", "only up to a version, such as 0@42, or a time in ISO 8601");
  return addJsonFlag(addWaitFlag(addPlaceFlags(command)), "print one JSON object a line").action(history);
}

async function history(text: string, flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  const asOf = parseAsOf(flags.asOf, faults);
  const limit = whole(flags.limit, "--limit", 1, faults) ?? 1;
  checkKey(text, faults);
  faults.check();
  if (place === undefined) return;
  await untilInterrupted((signal) =>
    withSpace(place, { writes: false, wait, signal }, async (space) => {
      const entries = entriesOf(space, text, asOf, limit);
      if (flags.json === true) for (const entry of entries) printJson(toJson(text, entry));
      else printTable(entries.map(toRow));
      if (entries.length === 0) throw new Refused(`${JSON.stringify(text)} was never written${until(flags)}`);
    }),
  );
}

function entriesOf(space: OpenSpace, text: string, asOf: Version | Date | undefined, limit: number): HistoryEntry[] {
  const key = toKey(text);
  const at = snapshotAt(space, partitionOfKey(space.genesis, partitionKeyOf(key)), asOf);
  return space.view.history(key, { limit, before: at + 1 });
}

function until({ asOf }: Flags): string {
  return asOf === undefined ? "" : ` up to ${asOf}`;
}

function toRow({ partition, version, time, agent, id, value }: HistoryEntry): string[] {
  return [
    nameOf({ partition, offset: version }),
    new Date(time).toISOString(),
    escapeUnprintable(agent ?? "-"),
    escapeUnprintable(id ?? "-"),
    value === null ? "(deleted)" : valueText(decodeValue(value)),
  ];
}

function toJson(key: string, { partition, version, time, agent, id, value }: HistoryEntry): object {
  return {
    key,
    version: nameOf({ partition, offset: version }),
    time: new Date(time).toISOString(),
    agent,
    intent: id,
    deleted: value === null,
    ...(value === null ? {} : valueJson(decodeValue(value))),
  };
}
