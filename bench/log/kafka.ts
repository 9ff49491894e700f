import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTopic, KafkaConnection, openKafkaLog, type Log } from "@seriatim/log";
import { sha256, toKey } from "@seriatim/protocol";
import { FoldThread, Sequencer } from "@seriatim/sequencer";
import { startPipe } from "./bare-kafka.ts";
import { brokerPart } from "./broker-part.ts";
import { KafkaLogs, KafkaSpace, initKafka, openView } from "./kafka-inside.ts";
import type { Figure, Options, Report } from "./report.ts";
import { intentOf, writeOf } from "./spaces.ts";
import { anyKey, keyOf, microseconds, quantile, type Pace } from "./workload.ts";

const main = fileURLToPath(new URL("../../../libs/seriatim/dist/main.js", import.meta.url));
const pipeFile = fileURLToPath(new URL("pipe.js", import.meta.url));

/** So many intents lie in the log before either begins. */
const intents = 60_000;

export const kafka = brokerPart({
  name: "kafka",
  about: "a real broker: what a sequencer decides beside a bare pipe of the same bytes, and both round trips",
  measure: measured,
});

async function measured(brokers: readonly string[], options: Options): Promise<Report> {
  const rates = await throughput(brokers, options);
  const bare = await pipeRoundTrips(brokers, options);
  const own = await verdictTrips(brokers, options);
  const figures = [...rates.figures, ...bare, ...own];
  const p50 = (name: string): number => figures.find((figure) => figure.name === name)?.value ?? Number.NaN;
  return {
    part: "kafka",
    figures,
    ratios: [
      { name: "decided / piped, records a second", value: rates.ratios.decided, target: { least: 0.7 } },
      { name: "decided and folded / piped, records a second", value: rates.ratios.folded },
      {
        name: "submit to verdict / round trip of the pipe, p50, 1 agent",
        value: p50("submit to verdict, 1 agent, p50") / p50("round trip of the pipe, 1 at a time, p50"),
        target: { most: 2 },
      },
      {
        name: "submit to verdict / round trip of the pipe, p50, 8 agents",
        value: p50("submit to verdict, 8 agents, p50") / p50("round trip of the pipe, 8 at a time, p50"),
        target: { most: 2 },
      },
    ],
  };
}

/** In turns, so that a machine that becomes slower does so for both. */
async function throughput(brokers: readonly string[], { say, folder }: Options) {
  const space = await newSpace(brokers);
  const logs = await KafkaLogs.open({ brokers, space });
  const connection = new KafkaConnection({ brokers });
  try {
    say(`${intents} intents into the log`);
    const bytes = await fill(logs);
    const turns = 3;
    const piped: Pace[] = [];
    const decided: Pace[] = [];
    const folded: Pace[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      const to = `bench-pipe-${randomUUID()}`;
      await createTopic(connection, to, { partitions: 1, replicationFactor: 1 });
      const log = await openKafkaLog(connection, to);
      const stop = await startPipe(brokers, `${space}.intents`, to);
      piped.push(await rateOf(() => endOf(log)));
      await stop();
      await log.close();
      say(`piped ${paceText(piped.at(-1))}`);
      const own = await decideAll(brokers, logs, join(folder, `sequencer-${turn}.db`));
      decided.push(own.decided);
      folded.push(own.folded);
      say(`decided ${paceText(decided.at(-1))}; folded too: ${paceText(folded.at(-1))}`);
    }
    const note = `${intents} records of ${Math.round(bytes / intents)} bytes, batches of up to 1,000, acks=all, best of ${turns}`;
    const [best, bestDecided, bestFolded] = [bestOf(piped), bestOf(decided), bestOf(folded)];
    return {
      figures: [
        { name: "piped", value: best.perSecond, unit: "records/s", note: `${note}; ${costText(best)}` },
        {
          name: "decided",
          value: bestDecided.perSecond,
          unit: "intents/s",
          note: `2 points and 1 write each, while a view is folded; ${costText(bestDecided)}`,
        },
        {
          name: "decided, and folded into the view",
          value: bestFolded.perSecond,
          unit: "intents/s",
          note: `the view may lag by 16,384; ${costText(bestFolded)}`,
        },
      ] satisfies Figure[],
      ratios: { decided: medianRatio(decided, piped), folded: medianRatio(folded, piped) },
    };
  } finally {
    await logs.close();
    await connection.close();
  }
}

async function newSpace(brokers: readonly string[]): Promise<string> {
  const space = `bench-${randomUUID()}`;
  await initKafka({ brokers, space, partitions: 1, replication: 1 });
  return space;
}

async function fill(logs: KafkaLogs): Promise<number> {
  let bytes = 0;
  const records = Array.from({ length: intents }, (_, index) => {
    const [first, second] = [anyKey(), anyKey() + 10_000];
    const value = logs.codec.encodeIntent(
      intentOf(logs.codec, `bench ${index} ${randomUUID()}`, {
        points: [first, second].map((key) => ({ key: toKey(keyOf(key)), version: null })),
        writes: [{ ...writeOf(first, index), blind: false }],
        snapshot: Math.max(0, index - 50),
      }),
    );
    bytes += value.length;
    return { value };
  });
  for (let at = 0; at < records.length; at += 1000) await logs.intents.append(0, records.slice(at, at + 1000));
  return bytes;
}

interface Paces {
  readonly decided: Pace;
  readonly folded: Pace;
}

/** A sequencer with a new view decides all that lies in the log, into a verdicts log of its own. */
async function decideAll(brokers: readonly string[], { intents: log, codec }: KafkaLogs, path: string): Promise<Paces> {
  const connection = new KafkaConnection({ brokers });
  const topic = `bench-verdicts-${randomUUID()}`;
  await createTopic(connection, topic, { partitions: 1, replicationFactor: 1 });
  const verdicts = await openKafkaLog(connection, topic);
  const { file, view } = await openView(path, { intents: log, verdicts, codec });
  const folding = new FoldThread({ path, genesis: codec.genesis });
  const sequencer = await Sequencer.open({ intents: log, verdicts, view, file, folding, codec, hash: sha256 });
  const stop = new AbortController();
  const running = sequencer.run(stop.signal);
  const rates = Promise.all([
    rateOf(() => endOf(verdicts)),
    rateOf(() => Promise.resolve(view.position(0).offset + 1)),
  ]);
  const found = await Promise.race([rates, running.then(() => undefined)]);
  stop.abort();
  await running;
  if (found === undefined) throw new Error("the sequencer ended before it had decided all");
  await folding.close();
  await verdicts.close();
  await connection.close();
  file.close();
  const [decided, folded] = found;
  return { decided, folded };
}

function bestOf(paces: readonly Pace[]): Pace {
  return paces.reduce((best, pace) => (pace.perSecond > best.perSecond ? pace : best));
}

function costText({ processor }: Pace): string {
  return `${processor.toFixed(1)} µs of processor each`;
}

function paceText(pace: Pace | undefined): string {
  return pace === undefined ? "" : `${Math.round(pace.perSecond)} a second, ${costText(pace)}`;
}

function medianRatio(own: readonly Pace[], others: readonly Pace[]): number {
  const ratios = own.map(({ perSecond }, turn) => perSecond / (others[turn]?.perSecond ?? Number.NaN));
  return quantile(
    ratios.toSorted((first, second) => first - second),
    0.5,
  );
}

async function endOf(log: Log): Promise<number> {
  return (await log.bounds(0)).end;
}

/** From the first record that `count` counts to the last. */
async function rateOf(count: () => Promise<number>): Promise<Pace> {
  let first: { readonly at: number; readonly end: number; readonly usage: NodeJS.CpuUsage } | undefined;
  for (;;) {
    const end = await count();
    const at = performance.now();
    if (end > 0) first ??= { at, end, usage: process.cpuUsage() };
    if (end >= intents && first !== undefined) {
      const records = end - first.end;
      const processor = microseconds(process.cpuUsage(first.usage)) / records;
      return { perSecond: (records * 1000) / (at - first.at), processor };
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function child(file: string, ...flags: string[]): Promise<() => Promise<void>> {
  const started = spawn(process.execPath, [file, ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  await once(started.stdout, "data");
  return async () => {
    started.kill();
    await once(started, "exit");
  };
}

async function pipeRoundTrips(brokers: readonly string[], { seconds }: Options): Promise<Figure[]> {
  const connection = new KafkaConnection({ brokers });
  const [from, to] = [`bench-from-${randomUUID()}`, `bench-to-${randomUUID()}`];
  for (const topic of [from, to]) await createTopic(connection, topic, { partitions: 1, replicationFactor: 1 });
  const stopPipe = await child(pipeFile, brokers.join(","), from, to);
  const [source, sink] = [await openKafkaLog(connection, from), await openKafkaLog(connection, to)];
  const waiting = new Map<string, () => void>();
  const stop = new AbortController();
  const reading = (async () => {
    for await (const { records } of sink.read(new Map([[0, 0]]), { signal: stop.signal }))
      for (const { value } of records) waiting.get(Buffer.from(value).toString("latin1", 0, 36))?.();
  })();
  const trip = async (): Promise<void> => {
    const id = randomUUID();
    const back = new Promise<void>((resolve) => waiting.set(id, resolve));
    await source.append(0, [{ value: Buffer.from(id.padEnd(300, ".")) }]);
    await back;
    waiting.delete(id);
  };
  const figures = [
    ...(await latencies("round trip of the pipe, 1 at a time", 1, seconds, trip)),
    ...(await latencies("round trip of the pipe, 8 at a time", 8, seconds, trip)),
  ];
  stop.abort();
  await reading;
  await stopPipe();
  await Promise.all([source.close(), sink.close()]);
  await connection.close();
  return figures;
}

async function verdictTrips(brokers: readonly string[], { seconds, folder }: Options): Promise<Figure[]> {
  const space = await newSpace(brokers);
  const view = join(folder, "trips.db");
  const flags = ["--brokers", brokers.join(","), "--space", space, "--view", join(folder, "trips-sequencer.db")];
  const stopSequencer = await child(main, "sequencer", ...flags, "--log-level", "silent");
  const opened = await KafkaSpace.open({ brokers, space, view });
  let count = 0;
  const trip = async (): Promise<void> => {
    const id = `trip ${(count += 1)} ${randomUUID()}`;
    const { offset: snapshot } = opened.view.position(0);
    const intent = intentOf(opened, id, { writes: [writeOf(count % 10_000, count)], snapshot });
    await new Promise<void>((resolve, reject) => {
      const unsubscribe = opened.subscribe(() => {
        if (opened.view.decisionOf(id, 0) === undefined) return;
        unsubscribe();
        resolve();
      });
      opened.append(0, opened.codec.encodeIntent(intent)).catch(reject);
    });
  };
  const figures = [
    ...(await latencies("submit to verdict, 1 agent", 1, seconds, trip)),
    ...(await latencies("submit to verdict, 8 agents", 8, seconds, trip)),
  ];
  await opened.close();
  await stopSequencer();
  return figures;
}

async function latencies(name: string, atOnce: number, seconds: number, trip: () => Promise<void>): Promise<Figure[]> {
  for (let warmUp = 0; warmUp < 50; warmUp += 1) await trip();
  const end = performance.now() + seconds * 1000;
  const found: number[] = [];
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      await trip();
      found.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const ascending = found.toSorted((a, b) => a - b);
  return [
    { name: `${name}, p50`, value: quantile(ascending, 0.5), unit: "ms", note: `${found.length} of them` },
    { name: `${name}, p99`, value: quantile(ascending, 0.99), unit: "ms" },
  ];
}
