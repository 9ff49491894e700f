import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import type { Bounds } from "@seriatim/log";
import { bufferOf, spaceName, type RefusalCode } from "@seriatim/protocol";
import { nameOf } from "../advances.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { observe, type Observed } from "../cli/observe.ts";
import { withSpace } from "../cli/open-space.ts";
import { print, printJson, printTable } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, addWaitFlag, placeOf, waitOf } from "../cli/place.ts";
import { allPartitions } from "../genesis.ts";

interface Flags {
  readonly json?: true;
  readonly watch?: true;
  readonly wait: string;
}

interface PartitionStatus {
  readonly partition: number;
  readonly intents: Bounds;
  readonly verdicts: Bounds;
  /** The intents offset of the verdict applied last; -1 before the genesis. */
  readonly applied: number;
  /** Intents records without an applied verdict. */
  readonly lag: number;
  /** Whether verdicts after the applied one were read, and its successor was not. */
  readonly missing: boolean;
  /** Records of the verdicts log read and not applied, repeats aside, since the applied one. */
  readonly skipped: number;
  /** In hex. */
  readonly chain: string;
  /** Log time; null before the genesis. */
  readonly time: string | null;
  readonly commits: number;
  readonly cancels: number;
  readonly holds: number;
  readonly expired: number;
  readonly repeated: number;
  readonly refusals: Readonly<Partial<Record<RefusalCode, number>>>;
}

type Looked = Pick<Observed, "genesis" | "intents" | "verdicts" | "view">;

/** In ms. */
const watchInterval = 1_000;

export function statusCommand(): Command {
  const command = new Command("status").description(
    "print the space, and of each partition: the logs, what is applied, lag, what is missing, commits and refusals",
  );
  command.option("--watch", "go on, every second, until Ctrl-C");
  return addJsonFlag(addWaitFlag(addPlaceFlags(command)), "print one JSON object").action(status);
}

async function status(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  faults.check();
  if (place === undefined) return;
  const look = async (space: Looked): Promise<void> => {
    const found = await Promise.all(allPartitions(space.genesis).map((partition) => statusOf(space, partition)));
    const where = place.kind === "file" ? place.path : `${place.space} on ${place.brokers.join(", ")}`;
    if (flags.watch === true && flags.json !== true) clear();
    if (flags.json === true) printJson(toJson(space, found));
    else show(space, where, found);
  };
  if (flags.watch !== true) {
    await untilInterrupted((signal) => observe(place, { wait, signal }, look));
    return;
  }
  const watch = (signal: AbortSignal): Promise<void> =>
    withSpace(place, { writes: false, wait, signal }, async (space) => {
      while (!signal.aborted) {
        await look(space);
        await delay(watchInterval, undefined, { signal }).catch(() => undefined);
      }
    });
  await untilInterrupted(watch, { isNormal: true });
}

/** A terminal shows the newest look only. */
function clear(): void {
  if (process.stdout.isTTY) process.stdout.write("\u001b[H\u001b[2J");
}

async function statusOf({ intents, verdicts, view }: Looked, partition: number): Promise<PartitionStatus> {
  // Ends first: what is decided meanwhile must not show as a lag.
  const [intentBounds, verdictBounds] = await Promise.all([intents.bounds(partition), verdicts.bounds(partition)]);
  const { offset, chain, time, seen, skipped } = view.position(partition);
  const { commits, cancels, holds, expired, repeated, refusals } = view.statistics(partition);
  return {
    partition,
    intents: intentBounds,
    verdicts: verdictBounds,
    applied: offset,
    lag: Math.max(0, intentBounds.end - (offset + 1)),
    missing: seen > offset || skipped > 0,
    skipped,
    chain: bufferOf(chain).toString("hex"),
    time: offset < 0 ? null : new Date(time).toISOString(),
    commits,
    cancels,
    holds,
    expired,
    repeated,
    refusals,
  };
}

function toJson({ genesis, view }: Looked, partitions: readonly PartitionStatus[]): object {
  const { space, rules, limits } = genesis;
  return { space: spaceName(space), rules, window: limits.window, limits, view: view.path, partitions };
}

function show({ genesis, view }: Looked, where: string, partitions: readonly PartitionStatus[]): void {
  printTable([
    ["space", `${spaceName(genesis.space)} (${where})`],
    ["partitions", String(genesis.partitions)],
    ["window", String(genesis.limits.window)],
    ["rules", String(genesis.rules)],
    ["view", view.path],
  ]);
  print("");
  printTable([columns, ...partitions.map(toRow)]);
}

const columns =
  "partition,intents,verdicts,applied,lag,missing,commits,cancels,holds,expired,repeated,refused,log time,chain".split(
    ",",
  );

function toRow(found: PartitionStatus): (string | number)[] {
  const { partition, intents, verdicts, applied, lag, missing, skipped, commits, cancels, holds, expired, repeated } =
    found;
  const refusals = Object.entries(found.refusals).map(([code, count]) => `${code} ${count}`);
  return [
    String(partition),
    boundsText(intents),
    boundsText(verdicts),
    applied < 0 ? "nothing" : nameOf({ partition, offset: applied }),
    String(lag),
    missing ? `yes, ${skipped} skipped` : "no",
    String(commits),
    String(cancels),
    String(holds),
    String(expired),
    String(repeated),
    refusals.length === 0 ? "0" : refusals.join(", "),
    found.time ?? "-",
    `${found.chain.slice(0, 12)}…`,
  ];
}

/** From the first offset kept to the one that the next record gets. */
function boundsText({ start, end }: Bounds): string {
  return `${start}..${end}`;
}
