import { Failure } from "@seriatim/protocol";
import type { Batch } from "../port.ts";
import type { KafkaConnection } from "./connection.ts";
import { FixedConsumer, type ConsumerEnd } from "./consumer.ts";
import { isFinal, isUnknownTopic, unavailable } from "./errors.ts";
import { Handover } from "./handover.ts";
import { partitionBounds } from "./offsets.ts";
import { pause } from "./waiting.ts";

const pauseBetweenConsumersMs = 100;
const watchIntervalMs = 1_000;

/** One read of a topic: consumers of kafkajs, one after another, as each crashes, and one position for all of them. */
export class TopicReader {
  readonly #connection: KafkaConnection;
  readonly #topic: string;
  readonly #positions: Map<number, number>;
  readonly #handover = new Handover<Batch>();
  readonly #stop = new AbortController();
  readonly #releases = new Set<Promise<void>>();
  #lastAlive = performance.now();
  #following: Promise<void> = Promise.resolve();

  constructor(connection: KafkaConnection, topic: string, from: ReadonlyMap<number, number>) {
    this.#connection = connection;
    this.#topic = topic;
    this.#positions = new Map(from);
  }

  /** The batches, until `signal` fires; may be called once. {@link ended} says when all is cleaned up. */
  async *batches(signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    const stop = (): void => this.stop();
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    this.#following = this.#follow();
    try {
      for (let batch = await this.#handover.take(); batch !== undefined; batch = await this.#handover.take()) {
        yield batch;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      this.stop();
    }
  }

  stop(): void {
    this.#stop.abort();
    this.#handover.end();
  }

  /** Resolves when nothing of a stopped read is left. */
  async ended(): Promise<void> {
    await this.#following;
    await Promise.all(this.#releases);
  }

  /** Never rejects: whoever takes batches is told. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const watch = setInterval(() => this.#watch(), watchIntervalMs);
    try {
      while (!signal.aborted && this.#positions.size > 0) await this.#followOnce(signal);
    } catch (error) {
      this.#handover.fail(error);
    } finally {
      clearInterval(watch);
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    const consumer = new FixedConsumer(this.#connection, this.#topic, this.#positions, {
      offer: (batch) => this.#offer(batch),
      alive: () => this.#touch(),
    });
    try {
      await this.#judge(await consumer.run(signal));
    } finally {
      this.#handover.withdraw();
      this.#track(consumer.release());
    }
    await pause(pauseBetweenConsumersMs, signal);
  }

  #offer(batch: Batch): Promise<boolean> {
    const last = batch.records.at(-1)?.offset ?? 0;
    return this.#handover.offer(batch, () => {
      this.#positions.set(batch.partition, last + 1);
      this.#touch();
    });
  }

  #touch(): void {
    this.#lastAlive = performance.now();
  }

  #track(release: Promise<void>): void {
    this.#releases.add(release);
    void release.then(() => this.#releases.delete(release));
  }

  /** Returns when another consumer is to go on. */
  async #judge(end: ConsumerEnd): Promise<void> {
    switch (end.kind) {
      case "stopped":
        return;
      case "crashed":
        if (isFinal(end.error)) await this.#explainCrash(end.error);
        return;
      case "out_of_range":
        throw await this.#outOfRange();
      case "gap":
        throw logChanged(
          this.#topic,
          `partition ${end.partition} has no record at offset ${end.position} and goes on at ${end.found}`,
        );
    }
  }

  async #explainCrash(error: unknown): Promise<void> {
    if (!isUnknownTopic(error)) throw unavailable(this.#connection.brokers, `read topic ${this.#topic}`, error);
    // Tells a topic that is gone, and then throws, from one that is moving.
    await partitionBounds(this.#connection, this.#topic);
  }

  async #outOfRange(): Promise<Failure> {
    const bounds = await partitionBounds(this.#connection, this.#topic);
    for (const [partition, position] of this.#positions) {
      const { start, end } = bounds.get(partition) ?? { start: 0, end: 0 };
      if (position >= start && position <= end) continue;
      return logChanged(
        this.#topic,
        `partition ${partition} was to be read from offset ${position}, but holds ${start} to ${end}`,
      );
    }
    return logChanged(this.#topic, "the offset to be read from was outside of it, and by now no longer is");
  }

  /** Catches a broker that is silent and a kafkajs that hangs alike. */
  #watch(): void {
    const silence = performance.now() - this.#lastAlive;
    if (this.#handover.isFull || silence < this.#connection.readTimeout) return;
    const cause = new Error(`no answer for ${Math.round(silence / 1000)} s`);
    this.#handover.fail(unavailable(this.#connection.brokers, `read topic ${this.#topic}`, cause));
    this.#stop.abort();
  }
}

function logChanged(topic: string, what: string): Failure {
  return new Failure(
    "log_changed",
    `Topic ${topic} is not the log that was read before: ${what}. It was truncated, recreated or replaced. ` +
      "Delete what was folded from it and read it from the start, or bring the old topic back.",
  );
}
