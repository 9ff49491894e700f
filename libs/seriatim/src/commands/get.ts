import { Command } from "commander";
import { decodeValue } from "@seriatim/client";
import { partitionKeyOf, toKey } from "@seriatim/protocol";
import { nameOf } from "../advances.ts";
import { checkKey, parseAsOf } from "../cli/arguments.ts";
import { Refused } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { withSpace, type OpenSpace } from "../cli/open-space.ts";
import { escapeUnprintable, printJson, printTable, valueJson, valueText } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, addWaitFlag, placeOf, waitOf } from "../cli/place.ts";
import { partitionOfKey, snapshotAt } from "../cli/snapshots.ts";

interface Flags {
  readonly asOf?: string;
  readonly json?: true;
  readonly wait: string;
}

export function getCommand(): Command {
  const command = new Command("get")
    .description("print what a key holds: its key, version and value")
    .argument("<key>", 'as in "policy/budget"')
    .option("--as-of <version|time>", "what it held at a version, such as 0@42, or at a time in ISO 8601");
  return addJsonFlag(addWaitFlag(addPlaceFlags(command)), "print one JSON object").action(get);
}

async function get(text: string, flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  const asOf = parseAsOf(flags.asOf, faults);
  checkKey(text, faults);
  faults.check();
  if (place === undefined) return;
  await untilInterrupted((signal) =>
    withSpace(place, { writes: false, wait, signal }, async (space) => {
      const key = toKey(text);
      const partition = partitionOfKey(space.genesis, partitionKeyOf(key));
      show(space, text, { partition, offset: snapshotAt(space, partition, asOf) }, flags);
    }),
  );
}

function show(space: OpenSpace, text: string, at: { partition: number; offset: number }, { json }: Flags): void {
  const entry = space.view.get(toKey(text), at.offset);
  if (entry === undefined) {
    if (json === true) printJson({ key: text, outcome: "absent", at: nameOf(at) });
    throw new Refused(
      `${JSON.stringify(text)} is absent ${at.offset < 0 ? "before the space began" : `at ${nameOf(at)}`}`,
    );
  }
  const version = nameOf({ partition: at.partition, offset: entry.version });
  const value = decodeValue(entry.value);
  if (json === true) printJson({ key: text, version, ...valueJson(value) });
  else printTable([[escapeUnprintable(text), version, valueText(value)]]);
}
