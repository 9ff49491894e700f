import { statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { Failure, isFailure } from "@seriatim/protocol";
import { SqliteFile, SqliteLog } from "@seriatim/log";
import type { Alarm } from "@seriatim/view";
import { EmbeddedSpace } from "../embedded-space.ts";
import { allPartitions } from "../genesis.ts";
import { KafkaSpace } from "../kafka-space.ts";
import { say } from "./output.ts";
import type { Place } from "./place.ts";

export type OpenSpace = EmbeddedSpace | KafkaSpace;

export interface OpenOptions {
  /** Whether the command may write; one that only reads opens an embedded file for reading only. */
  readonly writes: boolean;
  /** Whether an embedded file in which nothing is yet becomes a space. Default false: a path may be mistyped. */
  readonly creates?: boolean;
  /** How long to wait for the view of a space on Kafka, in ms. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/**
 * Opens the space, with a view that has caught up with what the verdicts log holds now, and closes it after `work`.
 * @throws Failure `invalid_argument` when there is no such file; `not_yet` when the view did not catch up in time; what
 *   opening throws.
 */
export async function withSpace<T>(
  place: Place,
  options: OpenOptions,
  work: (space: OpenSpace) => Promise<T>,
): Promise<T> {
  const space = place.kind === "file" ? await openFile(place.path, options) : await openKafka(place, options);
  try {
    return await work(space);
  } finally {
    await space.close();
  }
}

/**
 * Opens the space in a file, and makes none unless told to.
 * @throws Failure `invalid_argument` when there is nothing; `not_a_space`; what opening throws.
 */
export async function openFile(
  path: string,
  { writes, creates = false }: Pick<OpenOptions, "writes" | "creates">,
): Promise<EmbeddedSpace> {
  const entry = statSync(path, { throwIfNoEntry: false });
  const isNothing = entry === undefined || (entry.isFile() && entry.size === 0);
  if (creates && isNothing) return EmbeddedSpace.open(path);
  const init = `make a space with \`seriatim init --file ${path}\``;
  if (entry === undefined)
    throw new Failure("invalid_argument", `there is no file ${path}: correct the path, or ${init}`);
  if (entry.isFile() && entry.size === 0)
    throw new Failure("not_a_space", `the file ${path} is empty: name another, or ${init}`);
  await checkHoldsSpace(path);
  return EmbeddedSpace.open(path, writes ? { create: false } : { readonly: true });
}

/** Looks before opening for writing, which would make a space in any file of ours. */
async function checkHoldsSpace(path: string): Promise<void> {
  const file = SqliteFile.open(path, { readonly: true });
  try {
    if (await holdsIntents(file)) return;
    throw new Failure(
      "not_a_space",
      `${path} holds no space; it may be the view of one on Kafka: for that one give --brokers, --space and --view, else name another file`,
    );
  } finally {
    file.close();
  }
}

async function holdsIntents(file: SqliteFile): Promise<boolean> {
  try {
    return (await SqliteLog.open(file, "intents")).endNow(0) > 0;
  } catch (error) {
    if (isFailure(error, "not_a_space")) return false;
    throw error;
  }
}

type KafkaPlace = Extract<Place, { readonly kind: "kafka" }>;

/** How long a broker may take to answer that it is there at all, in ms; the wait for the view comes on top of it. */
const answerTimeout = 10_000;

async function openKafka(place: KafkaPlace, { wait, signal }: OpenOptions): Promise<KafkaSpace> {
  const opening = KafkaSpace.open({ ...place, answerTimeout, beginTimeout: wait, onAlarm: sayAlarm });
  const space = await inTime(opening, place, wait);
  try {
    await reachSeen(space, wait, signal);
    return space;
  } catch (error) {
    await space.close();
    throw error;
  }
}

/** A connection outlives any outage of its broker, and a view may have a long log to read: a command does not wait on. */
async function inTime(opening: Promise<KafkaSpace>, { view, space }: KafkaPlace, wait: number): Promise<KafkaSpace> {
  const waiting = new AbortController();
  const late = delay(answerTimeout + wait, undefined, { signal: waiting.signal });
  try {
    const opened = await Promise.race([opening, late]);
    if (opened !== undefined) return opened;
  } finally {
    waiting.abort();
    late.catch(() => undefined);
  }
  opening.then((opened) => opened.close()).catch(() => undefined);
  throw new Failure(
    "not_yet",
    `the view in ${view} has not read the verdicts of ${space} in time: wait longer with --wait SECONDS, or see with ` +
      "`seriatim status` how far it came",
    { canRetry: true },
  );
}

/** Where verdicts are missing from the log, the view stops at the first: what comes after it was seen, and not applied. */
async function reachSeen(space: KafkaSpace, timeout: number, signal: AbortSignal): Promise<void> {
  for (const partition of allPartitions(space.genesis))
    await space.reached({ partition, offset: space.view.position(partition).seen }, { timeout, signal });
}

/** Says that a verdict is missing, and how that heals. */
export function sayAlarm({ kind, partition, head }: Alarm): void {
  if (kind !== "stalled") return;
  say(
    `partition ${partition}: the verdict that follows ${partition}@${head.offset} is missing from the verdicts log; ` +
      "the view goes on once a sequencer has sent it again",
  );
}
