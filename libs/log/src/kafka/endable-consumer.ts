import type { Consumer, ConsumerRunConfig } from "kafkajs";
import { disconnected } from "./renewed.ts";
import { before, deferred } from "./waiting.ts";

const endLimitMs = 5_000;

/**
 * A consumer of kafkajs that can be ended at any time.
 *
 * `disconnect` cannot: called while kafkajs turns from one set of brokers to another, because one has gone or come, it
 * leaves a fetcher behind that asks nobody, in microtasks and for ever, and nothing else in the process is ever done. So
 * the consumer is made to crash where it would fetch next, and disconnects by itself when all its fetchers have ended.
 */
export class EndableConsumer {
  readonly #consumer: Consumer;
  readonly #crashed = deferred<undefined>();
  #starting: Promise<void> = Promise.resolve();
  #hasRun = false;
  #isEnding = false;

  constructor(consumer: Consumer) {
    this.#consumer = consumer;
    const { CRASH, FETCH_START } = consumer.events;
    consumer.on(CRASH, () => this.#crashed.resolve(undefined));
    // kafkajs fetches only after its listeners have returned.
    consumer.on(FETCH_START, () => {
      if (this.#isEnding) throw new Error("the consumer was ended");
    });
  }

  /** Rejects when it cannot begin; what goes wrong later is told as a crash. To be called once. */
  start(topic: string, config: ConsumerRunConfig): Promise<void> {
    this.#starting = this.#start(topic, config);
    return this.#starting;
  }

  async #start(topic: string, config: ConsumerRunConfig): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic, fromBeginning: true });
    if (this.#isEnding) return;
    this.#hasRun = true;
    await this.#consumer.run({ ...config, autoCommit: false });
  }

  /**
   * Ends the connection, or leaves that to kafkajs' own time-outs where the broker is silent. No batch may be under way,
   * or it must end by itself. Never rejects.
   */
  async end(): Promise<void> {
    this.#isEnding = true;
    const ended = this.#starting
      .catch(() => undefined)
      .then(() => (this.#hasRun ? this.#crashed.promise : disconnected(this.#consumer)));
    await before(performance.now() + endLimitMs, ended).catch(() => undefined);
  }
}
