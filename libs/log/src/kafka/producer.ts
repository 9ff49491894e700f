import { assert, Failure } from "@seriatim/protocol";
import type { Message, Producer, RecordMetadata } from "kafkajs";
import { disconnected, type KafkaConnection } from "./connection.ts";
import { brokerError, isFinal, isUnknownTopic, reasonOf, unavailable } from "./errors.ts";
import { toOffset } from "./records.ts";
import { before, pause, pauseAfter } from "./waiting.ts";

/** What only the broker's answer to a send can be: it looked at the records and took none. */
const rejections: ReadonlySet<string | undefined> = new Set([
  "MESSAGE_TOO_LARGE",
  "RECORD_LIST_TOO_LARGE",
  "INVALID_RECORD",
]);

/** How long a broker waits for its replicas. */
const ackTimeoutMs = 10_000;

/** Sends to one topic, with as many producers of kafkajs, one after another, as it takes. */
export class TopicProducer {
  readonly #connection: KafkaConnection;
  readonly #topic: string;
  #producer: Promise<Producer> | undefined;

  constructor(connection: KafkaConnection, topic: string) {
    this.#connection = connection;
    this.#topic = topic;
  }

  /**
   * Sends `messages` until the broker has acknowledged them, again and again until `deadline`: they may end up in the
   * log more than once. The caller sees to it that one send a partition is under way.
   * @returns the offset of the first
   */
  async send(partition: number, messages: readonly Message[], deadline: number): Promise<number> {
    let attempted = false;
    for (let count = 1; ; count += 1) {
      const current = (this.#producer ??= this.#connect());
      try {
        const producer = await before(deadline, current);
        attempted = true;
        return await before(deadline, this.#sendOnce(producer, partition, messages));
      } catch (error) {
        this.#discard(current);
        const wait = pauseAfter(count);
        if (isOver(error, attempted) || performance.now() + wait >= deadline) {
          throw this.#failure(partition, attempted, error);
        }
        await pause(wait);
      }
    }
  }

  async #sendOnce(producer: Producer, partition: number, messages: readonly Message[]): Promise<number> {
    const acknowledged = await producer.send({
      topic: this.#topic,
      acks: -1,
      timeout: ackTimeoutMs,
      messages: [...messages],
    });
    return baseOffset(acknowledged, partition);
  }

  #failure(partition: number, attempted: boolean, error: unknown): Failure {
    const action = `append to topic ${this.#topic}, partition ${partition}`;
    if (rejections.has(brokerError(error))) {
      return new Failure("invalid_argument", `Kafka refused to ${action} (${reasonOf(error)}). Send smaller records.`, {
        cause: error,
      });
    }
    if (!attempted) return unavailable(this.#connection.brokers, action, error);
    return new Failure(
      "unknown_outcome",
      `Kafka at ${this.#connection.brokers.join(", ")} did not confirm the ${action} (${reasonOf(error)}). ` +
        "The records may stand in the log: look for them before appending them again.",
      { canRetry: true, cause: error },
    );
  }

  async #connect(): Promise<Producer> {
    const producer = this.#connection.kafka.producer({
      allowAutoTopicCreation: false,
      // Never idempotent: with a lost acknowledgement kafkajs then loses records.
      idempotent: false,
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition ?? 0,
    });
    await producer.connect();
    return producer;
  }

  /** One that failed is not used again: kafkajs does not always recover. Its sends under way are let finish. */
  #discard(producer: Promise<Producer>): void {
    if (this.#producer === producer) this.#producer = undefined;
    void producer.then(disconnected).catch(() => undefined);
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    await producer?.then(disconnected).catch(() => undefined);
  }
}

function isOver(error: unknown, attempted: boolean): boolean {
  if (rejections.has(brokerError(error))) return true;
  // A broker that has just come back may not know its topics yet.
  return isFinal(error) && !(attempted && isUnknownTopic(error));
}

function baseOffset(acknowledged: readonly RecordMetadata[], partition: number): number {
  const own = acknowledged.find((each) => each.partition === partition);
  assert(own?.baseOffset !== undefined, "an acknowledged send names its first offset");
  return toOffset(own.baseOffset);
}
