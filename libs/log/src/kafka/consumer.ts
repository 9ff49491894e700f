import { randomUUID } from "node:crypto";
import type { Consumer, EachBatchPayload } from "kafkajs";
import type { Batch } from "../port.ts";
import { fixedPartitions } from "./assigner.ts";
import { disconnected, type KafkaConnection } from "./connection.ts";
import { toOffset, toRecord } from "./records.ts";
import { before, deferred } from "./waiting.ts";

/** What a consumer reports to the read that it serves. */
export interface ConsumerEvents {
  /** Offers a batch; resolves when it was taken, which moves the positions, or no longer will be. */
  offer(batch: Batch): Promise<boolean>;
  /** A fetch has come to a good end, with records or without. */
  alive(): void;
}

/** Why a consumer ended by itself. */
export type ConsumerEnd =
  | { readonly kind: "stopped" }
  /** kafkajs gave up; another consumer may do better. */
  | { readonly kind: "crashed"; readonly error: unknown }
  /** The broker says that a position lies outside of its log. */
  | { readonly kind: "out_of_range" }
  /** The log has nothing at a position and goes on above it. */
  | { readonly kind: "gap"; readonly partition: number; readonly position: number; readonly found: number };

const fetchWaitMs = 100;
const sessionTimeoutMs = 30_000;
const rebalanceTimeoutMs = 10_000;
const releaseLimitMs = 5_000;

/**
 * One consumer of kafkajs, from `positions` on, until `signal` fires or it comes to an end by itself. The positions are
 * the caller's: they alone say where to go on, at every join of the group, and no offset is ever committed.
 */
export class FixedConsumer {
  readonly #topic: string;
  readonly #positions: Map<number, number>;
  readonly #events: ConsumerEvents;
  readonly #consumer: Consumer;
  readonly #end = deferred<ConsumerEnd>();
  #started: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(connection: KafkaConnection, topic: string, positions: Map<number, number>, events: ConsumerEvents) {
    this.#topic = topic;
    this.#positions = positions;
    this.#events = events;
    this.#consumer = connection.kafka.consumer({
      // A group of its own, so that nobody else's end or rebalance disturbs it.
      groupId: `${connection.clientId}-read-${randomUUID()}`,
      partitionAssigners: [fixedPartitions(topic, [...positions.keys()])],
      allowAutoTopicCreation: false,
      // Otherwise whether a record is seen would depend on how somebody's transaction ended.
      readUncommitted: true,
      minBytes: 1,
      maxWaitTimeInMs: fetchWaitMs,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      // Whoever reads starts another one, after looking at what has changed.
      retry: { retries: 0, restartOnFailure: () => Promise.resolve(false) },
    });
    this.#listen();
  }

  #listen(): void {
    const { CRASH, FETCH, GROUP_JOIN, REQUEST, START_BATCH_PROCESS } = this.#consumer.events;
    this.#consumer.on(CRASH, ({ payload }) => this.#finish({ kind: "crashed", error: payload.error }));
    this.#consumer.on(GROUP_JOIN, () => this.#seek());
    this.#consumer.on(FETCH, () => this.#events.alive());
    this.#consumer.on(REQUEST, ({ payload }) => {
      // With autoCommit off kafkajs commits in one case only: before it jumps after OFFSET_OUT_OF_RANGE.
      if (payload.apiName === "OffsetCommit") this.#finish({ kind: "out_of_range" });
    });
    this.#consumer.on(START_BATCH_PROCESS, ({ payload }) => {
      // A batch of control records alone is passed over without eachBatch.
      if (payload.batchSize === 0) this.#passOver(payload.partition, payload.firstOffset, payload.lastOffset);
    });
  }

  /** Runs until the end, which is told before kafkajs has cleaned up: see {@link release}. Never rejects. */
  async run(signal: AbortSignal): Promise<ConsumerEnd> {
    const stop = (): void => this.#finish({ kind: "stopped" });
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    this.#started = this.#start();
    try {
      return await this.#end.promise;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #start(): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#consumer.connect();
      await this.#consumer.subscribe({ topic: this.#topic, fromBeginning: true });
      await this.#consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        eachBatch: (payload) => this.#handle(payload),
      });
    } catch (error) {
      this.#finish({ kind: "crashed", error });
    }
  }

  async #handle(payload: EachBatchPayload): Promise<void> {
    const { batch } = payload;
    const { partition } = batch;
    const position = this.#positions.get(partition);
    const first = batch.firstOffset();
    if (this.#isOver || position === undefined || first === null) return;
    const found = toOffset(first);
    if (found > position) return this.#finish({ kind: "gap", partition, position, found });
    const messages = batch.messages.filter((message) => toOffset(message.offset) >= position);
    // Repeats come when a join has set back a fetch that was under way.
    if (messages.length > 0 && !(await this.#events.offer({ partition, records: messages.map(toRecord) }))) return;
    this.#advance(partition, toOffset(batch.lastOffset()) + 1);
    payload.resolveOffset(batch.lastOffset());
  }

  #passOver(partition: number, first: string | null, last: string): void {
    const position = this.#positions.get(partition);
    if (position === undefined || first === null || toOffset(first) > position) return;
    this.#advance(partition, toOffset(last) + 1);
  }

  #advance(partition: number, next: number): void {
    const position = this.#positions.get(partition) ?? next;
    this.#positions.set(partition, Math.max(position, next));
  }

  /** kafkajs forgets at every join where it was. */
  #seek(): void {
    for (const [partition, offset] of this.#positions) {
      this.#consumer.seek({ topic: this.#topic, partition, offset: String(offset) });
    }
  }

  #finish(end: ConsumerEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
  }

  /**
   * Ends the connection, or leaves that to kafkajs' own time-outs where the broker is silent. What has been offered must
   * have been taken or withdrawn. Never rejects.
   */
  async release(): Promise<void> {
    // A consumer that is stopped while it joins would join after it.
    const released = this.#started.then(() => disconnected(this.#consumer));
    await before(performance.now() + releaseLimitMs, released).catch(() => undefined);
  }
}
