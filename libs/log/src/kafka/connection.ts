import { Failure } from "@seriatim/protocol";
import kafkajs, { type Admin, type Kafka, type KafkaConfig, type LogEntry } from "kafkajs";
import { ClusterClient } from "./cluster-client.ts";
import { isFinal, unavailable } from "./errors.ts";
import { Renewed } from "./renewed.ts";
import { watchedSockets } from "./sockets.ts";
import { persist } from "./waiting.ts";

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

/** What the logs of one space share: the addresses, the credentials and the connections for questions. */
export class KafkaConnection {
  readonly brokers: readonly string[];
  readonly clientId: string;
  readonly kafka: Kafka;
  readonly answerTimeout: number;
  readonly appendTimeout: number;
  readonly readTimeout: number;
  readonly #config: KafkaConfig;
  readonly #listeners = new Set<() => void>();
  readonly #admin: Renewed<Admin>;
  readonly #cluster: Renewed<ClusterClient>;
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
    this.#admin = this.#renewed(() => connectAdmin(this.kafka));
    this.#cluster = this.#renewed(() => ClusterClient.connect(this.kafka, this.clientId));
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
    return this.#ask(this.#admin, action, question, stopAt);
  }

  /** As {@link ask}, of what an admin of kafkajs cannot be asked. */
  async askCluster<T>(action: string, question: (client: ClusterClient) => Promise<T>): Promise<T> {
    return this.#ask(this.#cluster, action, question, isFinal);
  }

  async #ask<C extends Admin | ClusterClient, T>(
    client: Renewed<C>,
    action: string,
    question: (client: C) => Promise<T>,
    stopAt: (error: unknown) => boolean,
  ): Promise<T> {
    const deadline = performance.now() + this.answerTimeout;
    try {
      return await persist(deadline, stopAt, () => client.ask(question));
    } catch (error) {
      client.renew();
      if (error instanceof Failure) throw error;
      throw unavailable(this.brokers, action, error);
    }
  }

  /** Nobody would end a client that is made after the close, be it for a question that was under way. */
  #renewed<C extends Admin | ClusterClient>(connect: () => Promise<C>): Renewed<C> {
    return new Renewed(async () => {
      if (!this.#closed) return connect();
      throw new Failure("closed", `The connection to Kafka at ${this.brokers.join(", ")} was closed.`);
    });
  }

  /** Idempotent. Close the logs first. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#admin.close(), this.#cluster.close()]);
  }
}

async function connectAdmin(kafka: Kafka): Promise<Admin> {
  const admin = kafka.admin();
  await admin.connect();
  return admin;
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
