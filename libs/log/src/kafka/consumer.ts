import { randomUUID } from "node:crypto";
import type { Consumer, EachBatchPayload } from "kafkajs";
import type { Batch } from "../port.ts";
import { fixedPartitions } from "./assigner.ts";
import type { KafkaConnection } from "./connection.ts";
import { EndableConsumer } from "./endable-consumer.ts";
import type { Progress } from "./progress.ts";
import { toOffset, toRecord } from "./records.ts";
import { deferred } from "./waiting.ts";

/** What a consumer reports to the read that it serves. */
export interface ConsumerEvents {
  /** Offers a batch; resolves when it was taken, which moves the progress, or no longer will be. */
  offer(batch: Batch): Promise<boolean>;
  /** A fetch has come to a good end, with records or without. */
  alive(): void;
}

/** Why a consumer ended by itself. */
export type ConsumerEnd =
  | { readonly kind: "stopped" }
  /** kafkajs gave up; another consumer may do better. */
  | { readonly kind: "crashed"; readonly error: unknown }
  /** A connection ended, or the group had to be joined again: kafkajs would go on, whatever the topic is by now. */
  | { readonly kind: "lost" }
  /** The record delivered last is not the one that stands there now. */
  | { readonly kind: "replaced"; readonly partition: number }
  /** The broker says that a position lies outside of its log. */
  | { readonly kind: "out_of_range" }
  /** The log has nothing at a position and goes on above it. */
  | { readonly kind: "gap"; readonly partition: number; readonly position: number; readonly found: number };

const fetchWaitMs = 100;
const sessionTimeoutMs = 30_000;
const rebalanceTimeoutMs = 10_000;

/**
 * One consumer of kafkajs, until `signal` fires or it comes to an end by itself, which it does as soon as anything
 * interrupts it. The progress is the caller's: it alone says where to begin, and no offset is ever committed.
 */
export class FixedConsumer {
  readonly #topic: string;
  readonly #progress: Progress;
  readonly #events: ConsumerEvents;
  readonly #consumer: Consumer;
  readonly #endable: EndableConsumer;
  readonly #end = deferred<ConsumerEnd>();
  #isOver = false;
  #hasJoined = false;

  constructor(connection: KafkaConnection, topic: string, progress: Progress, events: ConsumerEvents) {
    this.#topic = topic;
    this.#progress = progress;
    this.#events = events;
    this.#consumer = connection
      .watchedClient(() => this.#disconnected())
      .consumer({
        // A group of its own, so that nobody else's end or rebalance disturbs it.
        groupId: `${connection.clientId}-read-${randomUUID()}`,
        partitionAssigners: [fixedPartitions(topic, progress.partitions)],
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
    this.#endable = new EndableConsumer(this.#consumer);
    this.#listen();
  }

  #listen(): void {
    const { CRASH, FETCH, GROUP_JOIN, REQUEST, START_BATCH_PROCESS } = this.#consumer.events;
    this.#consumer.on(CRASH, ({ payload }) => this.#finish({ kind: "crashed", error: payload.error }));
    this.#consumer.on(GROUP_JOIN, () => this.#joined());
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
    void this.#start();
    try {
      return await this.#end.promise;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #start(): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#endable.start(this.#topic, {
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
    const position = this.#progress.from(partition);
    const first = batch.firstOffset();
    if (this.#isOver || position === undefined || first === null) return;
    const found = toOffset(first);
    if (found > position) return this.#finish({ kind: "gap", partition, position, found });
    const fresh = this.#progress.admit(partition, batch.messages.map(toRecord));
    if (fresh === "replaced") return this.#finish({ kind: "replaced", partition });
    const { records } = fresh;
    if (records.length > 0 && !(await this.#events.offer({ partition, records }))) return;
    this.#progress.advance(partition, toOffset(batch.lastOffset()) + 1);
    payload.resolveOffset(batch.lastOffset());
  }

  #passOver(partition: number, first: string | null, last: string): void {
    const position = this.#progress.from(partition);
    if (position === undefined || first === null || toOffset(first) > position || toOffset(last) < position) return;
    if (this.#progress.doubted.includes(partition)) return this.#finish({ kind: "replaced", partition });
    this.#progress.advance(partition, toOffset(last) + 1);
  }

  /** kafkajs does not know where to begin, and forgets at every further join where it was. */
  #joined(): void {
    if (this.#hasJoined) return this.#finish({ kind: "lost" });
    this.#hasJoined = true;
    for (const partition of this.#progress.partitions) {
      const offset = String(this.#progress.from(partition));
      this.#consumer.seek({ topic: this.#topic, partition, offset });
    }
  }

  /** Before it has joined, kafkajs says itself why it cannot connect. */
  #disconnected(): void {
    if (this.#hasJoined) this.#finish({ kind: "lost" });
  }

  #finish(end: ConsumerEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
  }

  /** Lets go of the broker. What has been offered must have been taken or withdrawn. Never rejects. */
  async release(): Promise<void> {
    await this.#endable.end();
  }
}
