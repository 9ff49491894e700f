import { Failure } from "@seriatim/protocol";
import type { Batch, Bounds, Log, NewRecord } from "../port.ts";
import type { KafkaConnection } from "./connection.ts";
import { partitionBounds } from "./offsets.ts";
import { TopicProducer } from "./producer.ts";
import { TopicReader } from "./reader.ts";
import { sized } from "./records.ts";
import { PartitionSender } from "./sender.ts";
import { inspectTopic, type OpenTopicOptions, type TopicFound } from "./topic.ts";

/**
 * Opens a topic as a log. `close` ends its reads and appends, and leaves the connection to its other logs.
 * @throws Failure `not_a_space` when there is no such topic; `topic_settings` when its settings break what the
 *   guarantees rest on; `unavailable` when the broker does not answer in time.
 */
export async function openKafkaLog(
  connection: KafkaConnection,
  topic: string,
  options: OpenTopicOptions = {},
): Promise<Log> {
  return new KafkaLog(connection, topic, await inspectTopic(connection, topic, options));
}

class KafkaLog implements Log {
  readonly name: string;
  readonly partitions: number;
  readonly #connection: KafkaConnection;
  readonly #largestRecord: number;
  readonly #producer: TopicProducer;
  readonly #senders = new Map<number, PartitionSender>();
  readonly #readers = new Set<TopicReader>();
  #pendingBounds: Promise<ReadonlyMap<number, Bounds>> | undefined;
  #isClosed = false;

  constructor(connection: KafkaConnection, topic: string, found: TopicFound) {
    this.name = topic;
    this.partitions = found.partitions;
    this.#connection = connection;
    this.#largestRecord = found.maxMessageBytes;
    this.#producer = new TopicProducer(connection, topic);
  }

  async append(
    partition: number,
    records: readonly NewRecord[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<number> {
    this.#check(partition);
    const sizes = records.map((record) => sized(record, this.name, this.#largestRecord));
    return this.#sender(partition).append(sizes, options.signal);
  }

  #sender(partition: number): PartitionSender {
    const known = this.#senders.get(partition);
    if (known !== undefined) return known;
    const sender = new PartitionSender(this.#producer, partition, this.#connection.appendTimeout);
    this.#senders.set(partition, sender);
    return sender;
  }

  async *read(
    from: ReadonlyMap<number, number>,
    options: { readonly signal: AbortSignal },
  ): AsyncGenerator<Batch, void, undefined> {
    for (const [partition, offset] of from) this.#checkPosition(partition, offset);
    const reader = new TopicReader(this.#connection, this.name, from);
    this.#readers.add(reader);
    try {
      yield* reader.batches(options.signal);
    } finally {
      // Kept until it has let go of its connection, so that close can wait for it.
      void reader.ended().then(() => this.#readers.delete(reader));
    }
  }

  async bounds(partition: number): Promise<Bounds> {
    this.#check(partition);
    // Those asked for in the same turn share one request. No later: an answer under way may be older than the question.
    this.#pendingBounds ??= this.#fetchBounds();
    const bounds = (await this.#pendingBounds).get(partition);
    if (bounds !== undefined) return bounds;
    throw new Failure("log_changed", `Topic ${this.name} no longer has partition ${partition}.`);
  }

  async #fetchBounds(): Promise<ReadonlyMap<number, Bounds>> {
    await Promise.resolve();
    this.#pendingBounds = undefined;
    return partitionBounds(this.#connection, this.name);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.stop();
    await Promise.all([...this.#senders.values()].map((sender) => sender.close()));
    await Promise.all([this.#producer.close(), ...[...this.#readers].map((reader) => reader.ended())]);
  }

  #checkPosition(partition: number, offset: number): void {
    this.#check(partition);
    if (Number.isSafeInteger(offset) && offset >= 0) return;
    throw new Failure("invalid_argument", `Offset ${offset} of topic ${this.name} is not a whole number from 0 on.`);
  }

  #check(partition: number): void {
    if (this.#isClosed) throw this.#closedFailure();
    if (Number.isInteger(partition) && partition >= 0 && partition < this.partitions) return;
    throw new Failure(
      "invalid_argument",
      `Topic ${this.name} has partitions 0 to ${this.partitions - 1}, and no partition ${partition}.`,
    );
  }

  #closedFailure(): Failure {
    return new Failure("closed", `The log ${this.name} was closed.`);
  }
}
