import { Failure, isFailure } from "@seriatim/protocol";
import type { Batch, Bounds } from "../port.ts";
import type { KafkaConnection } from "./connection.ts";
import { isFinal, isUnknownTopic, unavailable } from "./errors.ts";
import { Fetcher, type FetchEnd } from "./fetcher.ts";
import { Handover } from "./handover.ts";
import { partitionBounds } from "./offsets.ts";
import { Progress } from "./progress.ts";
import { pause, unlessAborted } from "./waiting.ts";

const pauseBetweenFetchersMs = 100;
const watchIntervalMs = 1_000;

/** One read of a topic: fetchers, one after another, as each is interrupted, and one progress for all of them. */
export class TopicReader {
  readonly #connection: KafkaConnection;
  readonly #topic: string;
  readonly #progress: Progress;
  readonly #handover = new Handover<Batch>();
  readonly #stop = new AbortController();
  readonly #releases = new Set<Promise<void>>();
  #lastAlive = performance.now();
  #isInterrupted = false;
  #following: Promise<void> = Promise.resolve();

  constructor(connection: KafkaConnection, topic: string, from: ReadonlyMap<number, number>) {
    this.#connection = connection;
    this.#topic = topic;
    this.#progress = new Progress(from);
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
      while (!signal.aborted && this.#progress.partitions.length > 0) await this.#followOnce(signal);
    } catch (error) {
      this.#handover.fail(error);
    } finally {
      clearInterval(watch);
    }
  }

  async #followOnce(signal: AbortSignal): Promise<void> {
    if (!(await this.#checkDoubted(signal))) return pause(pauseBetweenFetchersMs, signal);
    const fetcher = new Fetcher(this.#connection, this.#topic, this.#progress, {
      offer: (batch) => this.#offer(batch),
      alive: () => this.#touch(),
    });
    try {
      await this.#judge(await fetcher.run(signal));
    } finally {
      this.#handover.withdraw();
      this.#track(fetcher.release());
    }
    this.#isInterrupted = true;
    this.#progress.doubt();
    await pause(pauseBetweenFetchersMs, signal);
  }

  /**
   * A topic that by now ends below what was delivered is another one, and would not say so before it has grown.
   * @returns whether the broker answered
   */
  async #checkDoubted(signal: AbortSignal): Promise<boolean> {
    const { doubted } = this.#progress;
    if (doubted.length === 0) return true;
    try {
      const bounds = await unlessAborted(signal, partitionBounds(this.#connection, this.#topic));
      for (const partition of doubted) if (bounds !== undefined) this.#checkBounds(partition, bounds.get(partition));
      return bounds !== undefined;
    } catch (error) {
      if (isFailure(error, "unavailable") && error.canRetry) return false;
      throw error;
    }
  }

  #checkBounds(partition: number, { start, end }: Bounds = { start: 0, end: 0 }): void {
    const position = this.#progress.next(partition) ?? 0;
    if ((this.#progress.from(partition) ?? 0) >= start && position <= end) return;
    throw logChanged(
      this.#topic,
      `partition ${partition} was read up to offset ${position}, but holds ${start} to ${end}`,
    );
  }

  #offer(batch: Batch): Promise<boolean> {
    const last = batch.records.at(-1);
    return this.#handover.offer(batch, () => {
      if (last !== undefined) this.#progress.delivered(batch.partition, last);
      this.#touch();
    });
  }

  #touch(): void {
    this.#lastAlive = performance.now();
    if (!this.#isInterrupted) return;
    this.#isInterrupted = false;
    this.#connection.returned();
  }

  #track(release: Promise<void>): void {
    this.#releases.add(release);
    void release.then(() => this.#releases.delete(release));
  }

  /** Returns when another fetcher is to go on. */
  async #judge(end: FetchEnd): Promise<void> {
    switch (end.kind) {
      case "stopped":
      case "lost":
      case "moved":
        return;
      case "failed":
        if (isFinal(end.error)) await this.#explain(end.error);
        return;
      case "out_of_range":
        throw await this.#outOfRange();
      case "replaced":
        throw logChanged(
          this.#topic,
          `partition ${end.partition} holds another record at offset ${this.#progress.from(end.partition)} than was read`,
        );
      case "gap":
        throw logChanged(
          this.#topic,
          `partition ${end.partition} has no record at offset ${end.position} and goes on at ${end.found}`,
        );
    }
  }

  async #explain(error: unknown): Promise<void> {
    if (!isUnknownTopic(error)) throw unavailable(this.#connection.brokers, `read topic ${this.#topic}`, error);
    // Tells a topic that is gone, and then throws, from one that is moving.
    await partitionBounds(this.#connection, this.#topic);
  }

  async #outOfRange(): Promise<Failure> {
    const bounds = await partitionBounds(this.#connection, this.#topic);
    for (const partition of this.#progress.partitions) {
      const position = this.#progress.from(partition) ?? 0;
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
