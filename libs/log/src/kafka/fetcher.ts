import type { Cluster } from "kafkajs";
import type { Batch } from "../port.ts";
import { ClusterClient } from "./cluster-client.ts";
import type { KafkaConnection } from "./connection.ts";
import { brokerError } from "./errors.ts";
import { fetchFrom, type Fetched } from "./fetch-answer.ts";
import type { Progress } from "./progress.ts";
import { before, deferred } from "./waiting.ts";

/** What a fetcher reports to the read that it serves. */
export interface FetchEvents {
  /** Offers a batch; resolves when it was taken, which moves the progress, or no longer will be. One at a time. */
  offer(batch: Batch): Promise<boolean>;
  /** A fetch has come to a good end, with records or without. */
  alive(): void;
}

/** Why a fetcher ended. */
export type FetchEnd =
  | { readonly kind: "stopped" }
  /** Something failed; another fetcher may do better. */
  | { readonly kind: "failed"; readonly error: unknown }
  /** A connection ended, and the topic may be another by now. */
  | { readonly kind: "lost" }
  /** A partition is led by another broker now. */
  | { readonly kind: "moved" }
  /** The record delivered last is not the one that stands there now. */
  | { readonly kind: "replaced"; readonly partition: number }
  /** The broker says that a position lies outside of its log. */
  | { readonly kind: "out_of_range" }
  /** The log has nothing at a position and goes on above it. */
  | { readonly kind: "gap"; readonly partition: number; readonly position: number; readonly found: number };

const fetchWaitMs = 100;
const most = { bytes: 10 * 1024 * 1024, bytesOfPartition: 1024 * 1024 };
/** How often a leader is asked for again. One that leads no more goes on answering, as a follower. */
const leaderCheckMs = 10_000;
const releaseLimitMs = 5_000;
/** Otherwise whether a record is seen would depend on how somebody's transaction ended. */
const readUncommitted = 0;

/**
 * Fetches fixed partitions from their leaders, until `signal` fires or anything interrupts it. The progress is the
 * caller's: it alone says where to begin.
 */
export class Fetcher {
  readonly #topic: string;
  readonly #progress: Progress;
  readonly #events: FetchEvents;
  readonly #client: ClusterClient;
  readonly #end = deferred<FetchEnd>();
  #connected: Promise<void> = Promise.resolve();
  #following: Promise<unknown> = Promise.resolve();
  /** What was fetched from several leaders is offered one after another. */
  #turn: Promise<void> = Promise.resolve();
  #isConnected = false;
  #isOver = false;

  constructor(connection: KafkaConnection, topic: string, progress: Progress, events: FetchEvents) {
    this.#topic = topic;
    this.#progress = progress;
    this.#events = events;
    const kafka = connection.watchedClient(() => this.#disconnected());
    this.#client = new ClusterClient(kafka, connection.clientId);
  }

  /** Runs until the end, which is told before all is cleaned up: see {@link release}. Never rejects. */
  async run(signal: AbortSignal): Promise<FetchEnd> {
    const stop = (): void => this.#finish({ kind: "stopped" });
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    if (!this.#isOver) this.#following = this.#follow().catch((error: unknown) => this.#failed(error));
    try {
      return await this.#end.promise;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #follow(): Promise<void> {
    const { cluster } = this.#client;
    this.#connected = connected(cluster, this.#topic);
    await this.#connected;
    this.#isConnected = true;
    const leaders = this.#client.leaders(this.#topic, this.#progress.partitions);
    await Promise.all(leaders.map(([nodeId, led]) => this.#fetchFrom(nodeId, led)));
  }

  async #fetchFrom(nodeId: string, partitions: readonly number[]): Promise<void> {
    for (let checked = performance.now(); !this.#isOver;) {
      const broker = await this.#client.cluster.findBroker({ nodeId });
      const answer = await fetchFrom(broker, {
        maxWaitTime: fetchWaitMs,
        minBytes: 1,
        maxBytes: most.bytes,
        isolationLevel: readUncommitted,
        topics: [{ topic: this.#topic, partitions: partitions.map((partition) => this.#wanted(partition)) }],
      });
      if (this.#isOver) return;
      this.#events.alive();
      await this.#inTurn(async () => {
        for (const fetched of answer) await this.#take(fetched);
      });
      if (performance.now() - checked < leaderCheckMs) continue;
      await this.#checkLeader(nodeId, partitions);
      checked = performance.now();
    }
  }

  /** Where a former leader is cut off from its successor, what it answers stands still, and does not say so. */
  async #checkLeader(nodeId: string, partitions: readonly number[]): Promise<void> {
    // Who cannot be asked now is asked the next time.
    await this.#client.cluster.refreshMetadata().catch(() => undefined);
    const led = this.#client.cluster.findLeaderForPartitions(this.#topic, [...partitions])[nodeId];
    if (led?.length !== partitions.length) this.#finish({ kind: "moved" });
  }

  #wanted(partition: number): { partition: number; fetchOffset: string; maxBytes: number } {
    return { partition, fetchOffset: String(this.#progress.from(partition)), maxBytes: most.bytesOfPartition };
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    await turn;
  }

  async #take({ partition, records: fetched }: Fetched): Promise<void> {
    const position = this.#progress.from(partition);
    if (this.#isOver || position === undefined) return;
    // What is fetched begins with the batch that holds the position.
    const from = fetched.findIndex(({ offset }) => offset >= position);
    const [first, last] = [fetched[from], fetched.at(-1)];
    if (first === undefined || last === undefined) return;
    const found = first.offset;
    if (found > position) return this.#finish({ kind: "gap", partition, position, found });
    const standing = (from === 0 ? fetched : fetched.slice(from)).filter(({ isControl }) => !isControl);
    const fresh = this.#progress.admit(partition, standing);
    const isDoubted = standing.length === 0 && this.#progress.doubted.includes(partition);
    if (fresh === "replaced" || isDoubted) return this.#finish({ kind: "replaced", partition });
    const { records } = fresh;
    if (records.length > 0 && !(await this.#events.offer({ partition, records }))) return;
    this.#progress.advance(partition, last.offset + 1);
  }

  /** Before it has connected, kafkajs says itself why it cannot. */
  #disconnected(): void {
    if (this.#isConnected) this.#finish({ kind: "lost" });
  }

  #failed(error: unknown): void {
    const isOutside = brokerError(error) === "OFFSET_OUT_OF_RANGE";
    this.#finish(isOutside ? { kind: "out_of_range" } : { kind: "failed", error });
  }

  #finish(end: FetchEnd): void {
    this.#isOver = true;
    this.#end.resolve(end);
  }

  /**
   * Ends the connections, or leaves that to kafkajs' own time-outs where the broker is silent. What has been offered must
   * have been taken or withdrawn. Never rejects.
   */
  async release(): Promise<void> {
    this.#isOver = true;
    await before(performance.now() + releaseLimitMs, this.#disconnect()).catch(() => undefined);
  }

  async #disconnect(): Promise<void> {
    await this.#connected.catch(() => undefined);
    await this.#client.disconnect();
    await this.#following;
    // A leader that was being connected to meanwhile.
    await this.#client.disconnect();
  }
}

async function connected(cluster: Cluster, topic: string): Promise<void> {
  await cluster.connect();
  await cluster.addMultipleTargetTopics([topic]);
}
