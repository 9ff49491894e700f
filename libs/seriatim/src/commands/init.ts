import { Command } from "commander";
import { checkGenesis, defaultLimits, spaceName, type Genesis, type Limits } from "@seriatim/protocol";
import { Refused } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { whole } from "../cli/numbers.ts";
import { printJson, printTable } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, placeOf, placeText, type Place } from "../cli/place.ts";
import { EmbeddedSpace } from "../embedded-space.ts";
import { initKafka } from "../kafka-init.ts";

interface Flags {
  readonly partitions?: string;
  readonly replication?: string;
  readonly window?: string;
  readonly limit: readonly string[];
  readonly json?: true;
}

interface Wanted {
  readonly partitions: number;
  readonly replication: number | undefined;
  readonly limits: Partial<Limits>;
}

interface Made {
  readonly genesis: Genesis;
  readonly made: boolean;
}

/** How many partition keys an intent may touch follows from where the space is. */
type SettableLimit = Exclude<keyof Limits, "partitionKeys">;
const settableLimits = Object.keys(defaultLimits).filter((name) => name !== "partitionKeys");

export function initCommand(): Command {
  const command = new Command("init")
    .description("make a space: the file, or the topics and their genesis; safe to run again, and by two at once")
    .option("--partitions <number>", "Kafka: how many partitions, for good (default: 1)")
    .option("--replication <number>", "Kafka: how many brokers keep each topic (default: the broker's)")
    .option("--window <offsets>", `how far an intent's snapshot may lie behind it (default: ${defaultLimits.window})`)
    .option("--limit <name=value>", "another limit of the space; may be given again", gather, []);
  return addJsonFlag(addPlaceFlags(command), "print one JSON object").action(init);
}

function gather(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function init(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wanted = wantedOf(flags, place, faults);
  faults.check();
  if (place === undefined) return;
  await untilInterrupted(async () => {
    const made = place.kind === "file" ? await initFile(place.path, wanted) : await initTopics(place, wanted);
    report(place, made, flags.json === true);
    checkAsWanted(made.genesis, wanted);
  });
}

function wantedOf(flags: Flags, place: Place | undefined, faults: Faults): Wanted {
  const partitions = whole(flags.partitions, "--partitions", 1, faults) ?? 1;
  const replication = whole(flags.replication, "--replication", 1, faults);
  if (place?.kind === "file") {
    if (partitions !== 1) faults.add("--partitions: an embedded space has one partition; leave it out");
    if (replication !== undefined) faults.add("--replication goes with --brokers: a file is kept once; leave it out");
  }
  const limits = limitsOf(flags, faults);
  faults.from(() => checkGenesis({ partitions, limits: { ...defaultLimits, ...limits } }));
  return { partitions, replication, limits };
}

function limitsOf({ window, limit }: Flags, faults: Faults): Partial<Limits> {
  const limits: Partial<Record<SettableLimit, number>> = {};
  for (const setting of limit) {
    const [name = "", value = ""] = setting.split("=", 2);
    if (!isSettable(name)) {
      faults.add(
        `--limit ${JSON.stringify(setting)} names no limit; NAME=VALUE is wanted, with one of ${settableLimits.join(", ")}`,
      );
      continue;
    }
    const number = whole(value, `--limit ${name}`, 0, faults);
    if (number !== undefined) limits[name] = number;
  }
  const offsets = whole(window, "--window", 1, faults);
  if (offsets !== undefined) limits.window = offsets;
  return limits;
}

function isSettable(name: string): name is SettableLimit {
  return settableLimits.includes(name);
}

async function initFile(path: string, { limits }: Wanted): Promise<Made> {
  const space = await EmbeddedSpace.open(path, { limits });
  await space.close();
  return space;
}

function initTopics(place: Extract<Place, { readonly kind: "kafka" }>, wanted: Wanted): Promise<Made> {
  const { partitions, replication, limits } = wanted;
  return initKafka({ ...place, partitions, limits, ...(replication === undefined ? {} : { replication }) });
}

function report(place: Place, { genesis, made }: Made, json: boolean): void {
  const { space, partitions, limits } = genesis;
  const next =
    place.kind === "file"
      ? `seriatim put ${placeText(place)} policy/budget 100`
      : `seriatim sequencer ${placeText(place)}`;
  if (json) {
    printJson({ space: spaceName(space), partitions, made, limits, next });
    return;
  }
  printTable([
    ["space", spaceName(space)],
    ["partitions", String(partitions)],
    ["made", made ? "now" : "before"],
    ["next", next],
  ]);
}

/** @throws Refused when the space was there before, with other limits than those asked for. */
function checkAsWanted({ limits }: Genesis, wanted: Wanted): void {
  const differing = Object.entries(wanted.limits).filter(([name, value]) => limits[name as SettableLimit] !== value);
  if (differing.length === 0) return;
  const list = differing.map(([name, value]) => `${name} is ${limits[name as SettableLimit]}, not ${value}`);
  throw new Refused(
    `the space was there before, and its limits stand for good: ${list.join("; ")}. Leave them out, or make another space`,
  );
}
