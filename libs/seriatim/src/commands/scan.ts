import { Command } from "commander";
import { decodeValue } from "@seriatim/client";
import {
  Failure,
  fromBytes,
  partitionKeyOf,
  partitionKeyOfRange,
  prefixRange,
  type Key,
  type KeyRange,
  type Version,
} from "@seriatim/protocol";
import { newest, type Entry } from "@seriatim/view";
import { nameOf } from "../advances.ts";
import { checkText, parseAsOf } from "../cli/arguments.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { whole } from "../cli/numbers.ts";
import { withSpace, type OpenSpace } from "../cli/open-space.ts";
import { escapeUnprintable, printJson, printTable, valueJson, valueText } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, addWaitFlag, placeOf, waitOf } from "../cli/place.ts";
import { partitionOfKey, snapshotAt } from "../cli/snapshots.ts";

interface Flags {
  readonly asOf?: string;
  readonly limit?: string;
  readonly reverse?: true;
  readonly json?: true;
  readonly wait: string;
}

interface Query {
  readonly range: KeyRange;
  readonly asOf: Version | Date | undefined;
  readonly limit: number;
  readonly reverse: boolean;
}

const pageSize = 500;

export function scanCommand(): Command {
  const command = new Command("scan")
    .description("print the keys that begin with a prefix, in byte order, with their versions and values")
    .argument("<prefix>", 'as in "policy/"; "" for all')
    .option("--limit <number>", "at most so many keys (default: all)")
    .option("--reverse", "from the highest key down")
    .option("--as-of <version|time>", "what was there at a version, such as 0@42, or at a time in ISO 8601");
  return addJsonFlag(addWaitFlag(addPlaceFlags(command)), "print one JSON object a line").action(scan);
}

async function scan(prefix: string, flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  const asOf = parseAsOf(flags.asOf, faults);
  const limit = whole(flags.limit, "--limit", 1, faults) ?? Number.MAX_SAFE_INTEGER;
  const range = faults.from(() => prefixRange(prefix));
  checkText("the prefix", prefix, faults);
  faults.check();
  if (place === undefined || range === undefined) return;
  const query = { range, asOf, limit, reverse: flags.reverse === true };
  await untilInterrupted((signal) =>
    withSpace(place, { writes: false, wait, signal }, async (space) => {
      for (const page of pages(space, query)) {
        if (signal.aborted) throw new Failure("aborted", "the scan was ended");
        if (flags.json === true) for (const entry of page) printJson(toJson(space, entry));
        else printTable(page.map((entry) => toRow(space, entry)));
        // Lets a signal, or the end of whoever reads, come through.
        await new Promise(setImmediate);
      }
    }),
  );
}

function* pages(space: OpenSpace, { range, asOf, limit, reverse }: Query): Iterable<Entry[]> {
  const at = snapshot(space, range, asOf);
  let after: Key | undefined;
  for (let left = limit; left > 0;) {
    const size = Math.min(left, pageSize);
    const page = space.view.scan(range, at, { limit: size, reverse, ...(after === undefined ? {} : { after }) });
    if (page.length > 0) yield page;
    if (page.length < size) return;
    left -= page.length;
    after = page.at(-1)?.key;
  }
}

/** A range over several partitions has no snapshot in common: each key is shown as it is now. */
function snapshot(space: OpenSpace, range: KeyRange, asOf: Version | Date | undefined): number {
  const partitionKey = partitionKeyOfRange(range);
  if (space.genesis.partitions === 1) return snapshotAt(space, 0, asOf);
  if (partitionKey !== undefined) return snapshotAt(space, partitionOfKey(space.genesis, partitionKey), asOf);
  if (asOf === undefined) return newest;
  throw new Failure(
    "invalid_argument",
    `--as-of needs a prefix within one partition key, such as "policy/": this one reaches over the space's ${space.genesis.partitions} partitions, which have no version in common`,
  );
}

function versionOf(space: OpenSpace, { key, version }: Entry): string {
  return nameOf({ partition: partitionOfKey(space.genesis, partitionKeyOf(key)), offset: version });
}

function toRow(space: OpenSpace, entry: Entry): string[] {
  return [escapeUnprintable(fromBytes(entry.key)), versionOf(space, entry), valueText(decodeValue(entry.value))];
}

function toJson(space: OpenSpace, entry: Entry): object {
  return { key: fromBytes(entry.key), version: versionOf(space, entry), ...valueJson(decodeValue(entry.value)) };
}
