import { assert, Failure } from "@seriatim/protocol";
import type { NewRecord } from "../port.ts";
import { ClusterClient } from "./cluster-client.ts";
import type { KafkaConnection } from "./connection.ts";
import { brokerError, isFinal, isUnknownTopic, reasonOf, unavailable } from "./errors.ts";
import { produce } from "./produce-request.ts";
import { encodeBatch } from "./record-batch.ts";
import { Renewed } from "./renewed.ts";
import { before, pause, pauseAfter } from "./waiting.ts";

/** What only the broker's answer to a send can be: it looked at the records and took none. */
const rejections: ReadonlySet<string | undefined> = new Set([
  "MESSAGE_TOO_LARGE",
  "RECORD_LIST_TOO_LARGE",
  "INVALID_RECORD",
]);

/** The broker did not even look at them. */
const prohibitions: ReadonlySet<string | undefined> = new Set([
  "TOPIC_AUTHORIZATION_FAILED",
  "CLUSTER_AUTHORIZATION_FAILED",
]);

/** How long a broker waits for its replicas. */
const ackTimeoutMs = 10_000;

/** What goes into the log in one batch. */
export interface Sending {
  readonly records: readonly NewRecord[];
  /** An upper bound. */
  readonly bytes: number;
}

/** Sends to one topic, with as many clients of kafkajs, one after another, as it takes. */
export class TopicProducer {
  readonly #connection: KafkaConnection;
  readonly #topic: string;
  readonly #clients: Renewed<ClusterClient>;
  #isClosed = false;

  constructor(connection: KafkaConnection, topic: string) {
    this.#connection = connection;
    this.#topic = topic;
    this.#clients = new Renewed(() => ClusterClient.connect(connection.kafka, connection.clientId));
  }

  /**
   * Sends the records until the broker has acknowledged them, again and again until `deadline`: they may end up in the
   * log more than once. The caller sees to it that one send a partition is under way.
   * @returns the offset of the first
   */
  async send(partition: number, sending: Sending, deadline: number): Promise<number> {
    let attempted = false;
    let isInDoubt = false;
    for (let count = 1; ; count += 1) {
      const current = this.#clients.current();
      try {
        const client = await before(deadline, current);
        attempted = true;
        return await before(deadline, this.#sendOnce(client, partition, sending));
      } catch (error) {
        this.#clients.discard(current);
        isInDoubt ||= attempted && !prohibitions.has(brokerError(error));
        const wait = pauseAfter(count);
        if (isOver(error, attempted) || performance.now() + wait >= deadline) {
          throw this.#failure(partition, isInDoubt, error);
        }
        await pause(wait);
        // Nobody would end the next client.
        if (this.#isClosed) throw this.#failure(partition, isInDoubt, error);
      }
    }
  }

  async #sendOnce(client: ClusterClient, partition: number, { records, bytes }: Sending): Promise<number> {
    const { cluster } = client;
    const topic = this.#topic;
    await cluster.addMultipleTargetTopics([topic]);
    await cluster.refreshMetadataIfNecessary();
    const [leader] = client.leaders(topic, [partition]);
    assert(leader !== undefined, "a partition that is known has a leader");
    const broker = await cluster.findBroker({ nodeId: leader[0] });
    return produce(broker, { topic, partition, batch: encodeBatch(records, Date.now(), bytes), timeout: ackTimeoutMs });
  }

  #failure(partition: number, isInDoubt: boolean, error: unknown): Failure {
    const action = `append to topic ${this.#topic}, partition ${partition}`;
    if (rejections.has(brokerError(error))) {
      return new Failure("invalid_argument", `Kafka refused to ${action} (${reasonOf(error)}). Send smaller records.`, {
        cause: error,
      });
    }
    if (!isInDoubt) return unavailable(this.#connection.brokers, action, error);
    return new Failure(
      "unknown_outcome",
      `Kafka at ${this.#connection.brokers.join(", ")} did not confirm the ${action} (${reasonOf(error)}). ` +
        "The records may stand in the log: look for them before appending them again.",
      { canRetry: true, cause: error },
    );
  }

  /** Whoever still sends is not connected anew. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#clients.close();
  }
}

function isOver(error: unknown, attempted: boolean): boolean {
  if (rejections.has(brokerError(error))) return true;
  // A broker that has just come back may not know its topics yet.
  return isFinal(error) && !(attempted && isUnknownTopic(error));
}
