import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { toKey } from "@seriatim/protocol";
import { brokerPart } from "../log/broker-part.ts";
import { initKafka, KafkaLogs, KafkaSpace } from "../log/kafka-inside.ts";
import type { Figure, Options, Report } from "../log/report.ts";
import { intentOf, writeOf } from "../log/spaces.ts";
import { microseconds } from "../log/workload.ts";
import { SequencerProcess } from "./sequencer-process.ts";

/** How many writes each intent has. */
const writesEach = 10;
const batch = 500;

export const view = brokerPart({
  name: "view",
  about: "a view made anew from the verdicts of a space on Kafka",
  measure,
});

async function measure(brokers: readonly string[], options: Options): Promise<Report> {
  const space = `bench-${randomUUID()}`;
  await initKafka({ brokers, space, partitions: 1, replication: 1 });
  const intents = Math.max(1, Math.round(options.versions / writesEach));
  options.say(`${intents} intents of ${writesEach} writes are decided`);
  await decideAll(brokers, space, intents, options);
  options.say("the view is made anew");
  return { part: "view", figures: await rebuild(brokers, space, intents * writesEach, options), ratios: [] };
}

async function decideAll(
  brokers: readonly string[],
  space: string,
  intents: number,
  { folder }: Options,
): Promise<void> {
  const sequencer = new SequencerProcess({ brokers, space, view: join(folder, `${space}.sequencer.db`) });
  const logs = await KafkaLogs.open({ brokers, space });
  try {
    for (let at = 0; at < intents; at += batch)
      await logs.intents.append(
        0,
        Array.from({ length: Math.min(batch, intents - at) }, (_, index) => ({
          value: logs.codec.encodeIntent(
            intentOf(logs.codec, randomUUID(), {
              isolation: "none",
              writes: Array.from({ length: writesEach }, (__, write) => ({
                ...writeOf(0, at),
                key: toKey(`table/${String(((at + index) * writesEach + write) % 1_000_003).padStart(8, "0")}`),
              })),
            }),
          ),
        })),
      );
    // The sequencer's own view says how far it is, to whoever asks the log.
    const { end } = await logs.intents.bounds(0);
    while ((await logs.verdicts.bounds(0)).end < end) await new Promise((resolve) => setTimeout(resolve, 50));
  } finally {
    await logs.close();
    await sequencer.end();
  }
}

async function rebuild(
  brokers: readonly string[],
  space: string,
  versions: number,
  { folder }: Options,
): Promise<Figure[]> {
  const processor = process.cpuUsage();
  const begun = performance.now();
  const opened = await KafkaSpace.open({ brokers, space, view: join(folder, `${space}.view.db`) });
  const took = performance.now() - begun;
  const used = microseconds(process.cpuUsage(processor));
  await opened.close();
  return [
    { name: `a view of ${versions.toLocaleString("en-US")} versions`, value: took / 1000, unit: "s" },
    {
      name: "rebuilt",
      value: (versions * 1000) / took,
      unit: "versions/s",
      note: `${writesEach} versions a verdict, ${(used / versions).toFixed(1)} µs of processor each`,
    },
  ];
}
