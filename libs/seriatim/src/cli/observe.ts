import { setTimeout as delay } from "node:timers/promises";
import type { Log } from "@seriatim/log";
import type { Genesis, RecordCodec } from "@seriatim/protocol";
import { follow, type View } from "@seriatim/view";
import { allPartitions } from "../genesis.ts";
import { KafkaLogs, openView } from "../kafka-logs.ts";
import { openFile, sayAlarm } from "./open-space.ts";
import { say } from "./output.ts";
import type { Place } from "./place.ts";

export interface Observed {
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly intents: Log;
  readonly verdicts: Log;
  readonly view: View;
}

interface ObserveOptions {
  /** How long the view may take to read what the verdicts log holds, in ms. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/** Opens a space to look at it, also one that nobody sequences or whose view cannot go on. */
export async function observe(
  place: Place,
  options: ObserveOptions,
  work: (space: Observed) => Promise<void>,
): Promise<void> {
  if (place.kind === "kafka") return observeKafka(place, options, work);
  const space = await openFile(place.path, { writes: false });
  try {
    await work(space);
  } finally {
    await space.close();
  }
}

async function observeKafka(
  place: Extract<Place, { readonly kind: "kafka" }>,
  options: ObserveOptions,
  work: (space: Observed) => Promise<void>,
): Promise<void> {
  const logs = await KafkaLogs.open(place);
  try {
    const { file, view } = await openView(place.view, logs);
    try {
      await readOn(logs, { file, view }, options);
      const { intents, verdicts, codec } = logs;
      await work({ intents, verdicts, view, codec, genesis: codec.genesis });
    } finally {
      file.close();
    }
  } finally {
    await logs.close();
  }
}

const nothing = (): void => undefined;

/** Lets the view read what the log holds now. */
async function readOn(
  { verdicts, codec }: KafkaLogs,
  { file, view }: Awaited<ReturnType<typeof openView>>,
  { wait, signal }: ObserveOptions,
): Promise<void> {
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const partitions = allPartitions(codec.genesis);
  const log = verdicts;
  const { caughtUp, ended } = follow({
    log,
    view,
    file,
    codec,
    partitions,
    signal: until,
    onAdvance: nothing,
    onAlarm: sayAlarm,
  });
  const late = delay(wait, "late", { signal: until }).catch(() => undefined);
  if ((await Promise.race([caughtUp, ended, late])) === "late")
    say(
      `the view in ${view.path} has not read all of ${verdicts.name} within ${wait / 1000} s; this is how far it came`,
    );
  stop.abort();
  await ended;
}
