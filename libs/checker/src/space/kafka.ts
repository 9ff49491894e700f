import { KafkaConnection, openKafkaLog, type Bounds, type KafkaOptions, type Log } from "@seriatim/log";
import { Failure, isFailure, sha256 } from "@seriatim/protocol";
import { boundedRecords } from "./bounded.ts";
import { checkSlice, codecFrom } from "./genesis.ts";
import { LogsSource, type BoundedLog } from "./logs-source.ts";
import { logNames, type LogName, type Slice, type SpaceSource } from "./source.ts";

export interface KafkaSourceOptions extends KafkaOptions {
  readonly space: string;
  /** Which logs to read; those that there are unless given. */
  readonly logs?: readonly LogName[] | undefined;
  readonly slice?: Slice;
}

/**
 * A space's topics, as far as they had come when they were opened.
 * @throws Failure `not_a_space` when a topic is missing; `topic_settings`, `unavailable`, `unknown_rules`.
 */
export async function openKafkaSource(options: KafkaSourceOptions): Promise<SpaceSource> {
  const { space, logs: names, slice = {} } = options;
  const connection = new KafkaConnection(options);
  const opened: Partial<Record<LogName, Log>> = {};
  const close = async (): Promise<void> => {
    await Promise.all(Object.values(opened).map((log) => log.close()));
    await connection.close();
  };
  try {
    for (const name of names ?? logNames) {
      const log = await openTopic(connection, `${space}.${name}`, names !== undefined);
      if (log !== undefined) opened[name] = log;
    }
    const some = opened.intents ?? opened.verdicts;
    if (some === undefined) throw missing(connection, space);
    // In this order: what comes meanwhile has what it rests on within the bounds.
    const effects = await bounded(opened.effects);
    const verdicts = await bounded(opened.verdicts);
    const intents = await bounded(opened.intents);
    const logs = {
      ...(intents === undefined ? {} : { intents }),
      ...(verdicts === undefined ? {} : { verdicts }),
      ...(effects === undefined ? {} : { effects }),
    };
    const first = await Promise.all([verdicts, intents].map((log) => firstRecord(log)));
    checkSlice(slice, some.name, some.partitions);
    const name = `space ${space} on ${connection.brokers.join(", ")}`;
    const flags = ["--brokers", connection.brokers.join(","), "--space", space];
    return new LogsSource({ name, flags, ...codecFrom(first, sha256), hash: sha256, logs, slice, close });
  } catch (error) {
    await close();
    throw error;
  }
}

async function openTopic(connection: KafkaConnection, topic: string, isNeeded: boolean): Promise<Log | undefined> {
  try {
    return await openKafkaLog(connection, topic);
  } catch (error) {
    if (!isNeeded && isFailure(error, "not_a_space")) return undefined;
    throw error;
  }
}

function missing(connection: KafkaConnection, space: string): Failure {
  const where = connection.brokers.join(", ");
  return new Failure(
    "not_a_space",
    `Kafka at ${where} has neither the topic ${space}.intents nor ${space}.verdicts: correct the space's name`,
  );
}

async function bounded(log: Log | undefined): Promise<BoundedLog | undefined> {
  if (log === undefined) return undefined;
  const bounds: Bounds[] = [];
  for (let partition = 0; partition < log.partitions; partition += 1) bounds.push(await log.bounds(partition));
  return { log, bounds };
}

/** The first record of partition 0; undefined when it is no longer, or not yet, there. */
async function firstRecord(bound: BoundedLog | undefined): Promise<Uint8Array | undefined> {
  const bounds = bound?.bounds[0];
  if (bound === undefined || bounds === undefined || bounds.end === bounds.start) return undefined;
  const part = { from: bounds.start, end: bounds.start + 1 };
  for await (const [record] of boundedRecords(bound.log, 0, part, new AbortController().signal)) return record?.value;
  return undefined;
}
