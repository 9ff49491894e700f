import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { toKey } from "@seriatim/protocol";
import { brokerPart } from "../log/broker-part.ts";
import { initKafka, KafkaLogs } from "../log/kafka-inside.ts";
import type { Figure, Options, Report } from "../log/report.ts";
import { intentOf, writeOf } from "../log/spaces.ts";
import { anyKey, keyOf, sum, type Pace } from "../log/workload.ts";
import { SequencerProcess } from "./sequencer-process.ts";

const counts = [1, 2, 4, 8] as const;
/** In each partition. */
const intents = 30_000;
const batch = 1_000;

export const partitions = brokerPart({
  name: "partitions",
  about: "verdicts a second of so many partitions, with a sequencer for each, on one broker",
  measure,
});

async function measure(brokers: readonly string[], options: Options): Promise<Report> {
  const figures: Figure[] = [];
  for (const count of counts) {
    options.say(`${count} partitions, ${intents} intents in each`);
    figures.push(await rateOf(brokers, count, options));
  }
  const [one, ...more] = figures;
  const ratios = more.map(({ name, value }) => ({ name: `${name} / ${one?.name}`, value: value / (one?.value ?? 0) }));
  return { part: "partitions", figures, ratios };
}

async function rateOf(brokers: readonly string[], count: number, { folder }: Options): Promise<Figure> {
  const space = `bench-${randomUUID()}`;
  await initKafka({ brokers, space, partitions: count, replication: 1 });
  const logs = await KafkaLogs.open({ brokers, space });
  const each = Array.from({ length: count }, (_, partition) => partition);
  await Promise.all(each.map((partition) => fill(logs, partition)));
  const sequencers = each.map((partition) => {
    const view = join(folder, `scale-${count}-${partition}.db`);
    return new SequencerProcess({ brokers, space, view }, "--partitions", String(partition));
  });
  try {
    const name = `${count} ${count === 1 ? "partition" : "partitions"}`;
    const { perSecond, processor } = await paceOf(logs, count, sequencers);
    const note = `${processor.toFixed(0)} µs of the sequencers' processor each`;
    return { name, value: perSecond, unit: "verdicts/s", note };
  } finally {
    await Promise.all(sequencers.map((sequencer) => sequencer.end("SIGKILL")));
    await logs.close();
  }
}

async function fill({ codec, intents: log }: KafkaLogs, partition: number): Promise<void> {
  for (let at = 0; at < intents; at += batch)
    await log.append(
      partition,
      Array.from({ length: batch }, (_, index) => {
        const [first, second] = [anyKey(), anyKey() + 10_000];
        const draft = {
          partition,
          points: [first, second].map((key) => ({ key: toKey(keyOf(key)), version: null })),
          writes: [{ ...writeOf(first, index), blind: false }],
          isolation: "none" as const,
          snapshot: Math.max(0, at - batch),
        };
        return { value: codec.encodeIntent(intentOf(codec, randomUUID(), draft)) };
      }),
    );
}

interface Seen {
  readonly at: number;
  readonly processor: number;
  readonly ends: readonly number[];
}

/** While all are at work, from when all have begun to when the first has no more. */
async function paceOf({ verdicts }: KafkaLogs, count: number, sequencers: readonly SequencerProcess[]): Promise<Pace> {
  let first: Seen | undefined;
  for (;;) {
    const bounds = await Promise.all(Array.from({ length: count }, (_, partition) => verdicts.bounds(partition)));
    const processor = sum(sequencers.map((sequencer) => sequencer.processor));
    const seen = { at: performance.now(), processor, ends: bounds.map(({ end }) => end) };
    if (seen.ends.every((end) => end > 1)) first ??= seen;
    if (seen.ends.some((end) => end > intents)) {
      if (first === undefined || first === seen)
        throw new Error("one had decided all before another began: fill in more");
      const verdictCount = sum(seen.ends) - sum(first.ends);
      return {
        perSecond: (verdictCount * 1000) / (seen.at - first.at),
        processor: (processor - first.processor) / verdictCount,
      };
    }
    await pause(5);
  }
}
