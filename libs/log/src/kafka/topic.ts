import { Failure } from "@seriatim/protocol";
import kafkajs, { type Admin } from "kafkajs";
import type { KafkaConnection } from "./connection.ts";
import { brokerError, isFinal, isUnknownTopic } from "./errors.ts";

interface TopicSetting {
  readonly name: string;
  /** What a new topic is given, and what a topic found otherwise is told to have. */
  readonly value: string;
  /** Other values that harm nothing. */
  readonly admits?: (found: string) => boolean;
}

const largestBatch = 2_097_152;

/** What the guarantees rest on. A log that forgets, or whose times its writers choose, cannot be judged again. */
const topicSettings: readonly TopicSetting[] = [
  { name: "message.timestamp.type", value: "LogAppendTime" },
  { name: "cleanup.policy", value: "delete" },
  { name: "retention.ms", value: "-1" },
  { name: "retention.bytes", value: "-1" },
  { name: "max.message.bytes", value: String(largestBatch), admits: (found) => Number(found) >= largestBatch },
  // kafkajs reads gzip only; any other codec ends every reader. So the broker unpacks what a foreign producer has packed.
  { name: "compression.type", value: "uncompressed", admits: (found) => found === "gzip" || found === "producer" },
];

const badRequests: ReadonlySet<string | undefined> = new Set([
  "INVALID_PARTITIONS",
  "INVALID_REPLICATION_FACTOR",
  "INVALID_TOPIC_EXCEPTION",
  "POLICY_VIOLATION",
]);

export interface NewTopic {
  readonly partitions: number;
  /** How many brokers keep each partition; the broker's default unless given. One survives no broker's loss. */
  readonly replicationFactor?: number;
}

/**
 * Creates a topic with the settings that the guarantees rest on. One that exists is left as it is, whoever made it:
 * opening it checks it.
 * @returns whether this call created it
 * @throws Failure `invalid_argument` when the cluster can't make such a topic; `unavailable`
 */
export async function createTopic(connection: KafkaConnection, topic: string, options: NewTopic): Promise<boolean> {
  const action = `create topic ${topic}`;
  const created = await connection
    .ask(
      action,
      (admin) => create(admin, topic, options),
      (error) => isFinal(error) && !(lacksBrokers(error) && options.replicationFactor === 1),
    )
    .catch((error: unknown) => {
      throw isBadRequest(error) ? new Failure("invalid_argument", error.message, { cause: error.cause }) : error;
    });
  // Brokers learn of a topic one after another.
  await connection.ask(
    action,
    (admin) => partitionCount(admin, topic),
    (error) => isFinal(error) && !isUnknownTopic(error),
  );
  return created;
}

/** One broker is enough for one copy: if not even one is there, it has just come, or come back. */
function lacksBrokers(error: unknown): boolean {
  return brokerError(error) === "INVALID_REPLICATION_FACTOR";
}

function isBadRequest(error: unknown): error is Failure {
  return error instanceof Failure && badRequests.has(brokerError(error.cause));
}

async function create(admin: Admin, topic: string, options: NewTopic): Promise<boolean> {
  const configEntries = topicSettings.map(({ name, value }) => ({ name, value }));
  const { partitions: numPartitions, replicationFactor = -1 } = options;
  try {
    // Whether the topic is there is asked for afterwards: kafkajs asks any broker, once, and fails if it has not heard yet.
    const waitForLeaders = false;
    const topics = [{ topic, numPartitions, replicationFactor, configEntries }];
    return await admin.createTopics({ waitForLeaders, topics });
  } catch (error) {
    // kafkajs gathers one error a topic in an object that hides which it was.
    throw error instanceof kafkajs.KafkaJSAggregateError ? error.errors[0] : error;
  }
}

export interface OpenTopicOptions {
  /** It was made a moment ago: a broker that does not know it has not heard of it yet. Default false. */
  readonly isNew?: boolean;
}

export interface TopicFound {
  readonly partitions: number;
  /** The largest batch that the topic takes, in bytes. */
  readonly maxMessageBytes: number;
}

/**
 * Reads a topic's partition count and settings.
 * @throws Failure `not_a_space` when there is no such topic; `topic_settings` when it has others than prescribed.
 */
export async function inspectTopic(
  connection: KafkaConnection,
  topic: string,
  { isNew = false }: OpenTopicOptions = {},
): Promise<TopicFound> {
  try {
    const [partitions, found] = await connection.ask(
      `read the settings of topic ${topic}`,
      async (admin) => [await partitionCount(admin, topic), await settingsOf(admin, topic)] as const,
      (error) => isFinal(error) && !(isNew && isUnknownTopic(error)),
    );
    checkSettings(connection, topic, found);
    return { partitions, maxMessageBytes: Number(found.get("max.message.bytes")) };
  } catch (error) {
    if (!(error instanceof Failure) || !isMissing(error.cause)) throw error;
    throw new Failure(
      "not_a_space",
      `Kafka at ${connection.brokers.join(", ")} has no topic ${topic}. ` +
        "Make the space with `seriatim init`, or correct its name.",
      { cause: error.cause },
    );
  }
}

function isMissing(error: unknown): boolean {
  return isUnknownTopic(error) || brokerError(error) === "INVALID_TOPIC_EXCEPTION";
}

async function partitionCount(admin: Admin, topic: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]?.partitions.length ?? 0;
}

async function settingsOf(admin: Admin, topic: string): Promise<ReadonlyMap<string, string>> {
  const configNames = topicSettings.map(({ name }) => name);
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: kafkajs.ConfigResourceTypes.TOPIC, name: topic, configNames }],
  });
  const entries = resources.flatMap(({ configEntries }) => configEntries);
  return new Map(entries.map(({ configName, configValue }) => [configName, configValue]));
}

function checkSettings(connection: KafkaConnection, topic: string, found: ReadonlyMap<string, string>): void {
  const wrong = topicSettings.filter(({ name, value, admits }) => {
    const actual = found.get(name);
    return actual === undefined || (actual !== value && admits?.(actual) !== true);
  });
  if (wrong.length === 0) return;
  const list = wrong.map(({ name, value }) => `${name} is ${found.get(name) ?? "not known"}, must be ${value}`);
  const change = wrong.map(({ name, value }) => `${name}=${value}`).join(",");
  throw new Failure(
    "topic_settings",
    `Topic ${topic} has settings that break Seriatim's guarantees: ${list.join("; ")}. Correct them with: ` +
      `kafka-configs.sh --bootstrap-server ${connection.brokers.join(",")} --alter --entity-type topics ` +
      `--entity-name ${topic} --add-config ${change}`,
  );
}
