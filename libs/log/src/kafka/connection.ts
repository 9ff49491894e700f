import { Failure } from "@seriatim/protocol";
import kafkajs, { type Admin, type Kafka, type KafkaConfig, type LogEntry } from "kafkajs";
import { isFinal, unavailable } from "./errors.ts";
import { watchedSockets } from "./sockets.ts";
import { before, persist } from "./waiting.ts";

export interface KafkaOptions {
  /** Addresses to start from, `host:port`; the rest of the cluster is learned from them. */
  readonly brokers: readonly string[];
  /** Named in the broker's logs and quotas. Default `seriatim`. Group ids begin with it. */
  readonly clientId?: string;
  /** As kafkajs takes it: `true`, or options of Node's TLS. */
  readonly ssl?: NonNullable<KafkaConfig["ssl"]>;
  /** As kafkajs takes it. */
  readonly sasl?: NonNullable<KafkaConfig["sasl"]>;
  /** How long a question to the broker may take in all, with its repetitions, in ms. Default 10,000. */
  readonly answerTimeout?: number;
  /** How long an append may take in all, in ms. Default 30,000: enough to outlive a broker's restart. */
  readonly appendTimeout?: number;
  /** How long a read goes on without a broker before it fails, in ms. Default 60,000. */
  readonly readTimeout?: number;
  /** Gets what kafkajs logs; without it nothing is logged. */
  readonly onClientLog?: (entry: LogEntry) => void;
}

const requestTimeoutMs = 10_000;
const connectTimeoutMs = 3_000;
const disconnectLimitMs = 3_000;

/** What the logs of one space share: the addresses, the credentials and one connection for questions. */
export class KafkaConnection {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly kafka: Kafka;
  readonly answerTimeout: number;
  readonly appendTimeout: number;
  readonly readTimeout: number;
  readonly #config: KafkaConfig;
  readonly #listeners = new Set<() => void>();
  #admin: Promise<Admin> | undefined;
  #closed = false;

  /** Connects to nothing yet. */
  constructor(options: KafkaOptions) {
    if (options.brokers.length === 0) {
      throw new Failure("invalid_argument", "No broker is named. Give at least one address, such as 127.0.0.1:9092.");
    }
    this.brokers = [...options.brokers];
    this.clientId = options.clientId ?? "seriatim";
    this.answerTimeout = options.answerTimeout ?? 10_000;
    this.appendTimeout = options.appendTimeout ?? 30_000;
    this.readTimeout = options.readTimeout ?? 60_000;
    this.#config = clientConfig(this.brokers, this.clientId, options);
    this.kafka = new kafkajs.Kafka(this.#config);
  }

  /** A client for one user, who is told whenever one of its connections has ended, by whichever side. */
  watchedClient(onClosed: () => void): Kafka {
    return new kafkajs.Kafka({ ...this.#config, socketFactory: watchedSockets(onClosed) });
  }

  /**
   * Calls `listener` after a read of any of the logs was interrupted and goes on: the broker may have been away, and
   * what it holds may have changed. Returns the function that ends that. The listener must not throw.
   */
  onReturn(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** For reads: to be called when one goes on. */
  returned(): void {
    for (const listener of this.#listeners) listener();
  }

  /**
   * Asks the cluster something, again after a failure that may pass, for as long as `answerTimeout`.
   * @param action completes "could not ..."
   * @param stopAt which errors to not ask again after
   * @throws Failure `unavailable` with kafkajs' error as its cause; Failures of `question` as they are.
   */
  async ask<T>(action: string, question: (admin: Admin) => Promise<T>, stopAt = isFinal): Promise<T> {
    const deadline = performance.now() + this.answerTimeout;
    try {
      return await persist(deadline, stopAt, () => this.#askOnce(question));
    } catch (error) {
      // It may be the one that does not answer.
      this.#discardAdmin(this.#admin);
      if (error instanceof Failure) throw error;
      throw unavailable(this.brokers, action, error);
    }
  }

  async #askOnce<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    if (this.#closed) throw new Failure("closed", `The connection to Kafka at ${this.brokers.join(", ")} was closed.`);
    const used = this.#admin;
    if (used !== undefined) {
      try {
        return await question(await used);
      } catch {
        // A used client may have lost its broker, or remember a topic that is gone and fail for all others: its answer
        // counts for nothing, and a new one is asked.
        this.#discardAdmin(used);
      }
    }
    const admin = (this.#admin ??= connectAdmin(this.kafka));
    try {
      return await question(await admin);
    } catch (error) {
      this.#discardAdmin(admin);
      throw error;
    }
  }

  #discardAdmin(admin: Promise<Admin> | undefined): void {
    if (this.#admin === admin) this.#admin = undefined;
    void admin?.then(disconnected).catch(() => undefined);
  }

  /** Idempotent. Close the logs first. */
  async close(): Promise<void> {
    this.#closed = true;
    const admin = this.#admin;
    this.#admin = undefined;
    await admin?.then(disconnected).catch(() => undefined);
  }
}

async function connectAdmin(kafka: Kafka): Promise<Admin> {
  const admin = kafka.admin();
  await admin.connect();
  return admin;
}

/** Disconnects a client of kafkajs; one that hangs is left to its time-outs. Never rejects. */
export async function disconnected(client: { disconnect(): Promise<void> }): Promise<void> {
  await before(performance.now() + disconnectLimitMs, client.disconnect()).catch(() => undefined);
}

function shuffled(brokers: readonly string[]): string[] {
  return brokers
    .map((broker) => ({ broker, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ broker }) => broker);
}

function clientConfig(brokers: readonly string[], clientId: string, options: KafkaOptions): KafkaConfig {
  const { ssl, sasl, onClientLog } = options;
  return {
    // A client of kafkajs begins with the first, and without repetitions of its own it gets to no other.
    brokers: () => shuffled(brokers),
    clientId,
    connectionTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Repetition is ours alone: kafkajs nests its own, and nobody can say when it will end.
    retry: { retries: 0, initialRetryTime: 50 },
    logLevel: onClientLog === undefined ? kafkajs.logLevel.NOTHING : kafkajs.logLevel.INFO,
    logCreator: () => (entry) => onClientLog?.(entry),
    socketFactory: watchedSockets(() => undefined),
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
  };
}
