import { before } from "./waiting.ts";

interface Client {
  disconnect(): Promise<void>;
}

const disconnectLimitMs = 3_000;

/** One client of kafkajs, and another one after it has failed. */
export class Renewed<C extends Client> {
  readonly #connect: () => Promise<C>;
  #client: Promise<C> | undefined;

  constructor(connect: () => Promise<C>) {
    this.#connect = connect;
  }

  /** The one in use, or a new one. */
  current(): Promise<C> {
    return (this.#client ??= this.#connect());
  }

  async ask<T>(question: (client: C) => Promise<T>): Promise<T> {
    const used = this.#client;
    if (used !== undefined) {
      try {
        return await question(await used);
      } catch {
        // A used client may have lost its broker, or remember a topic that is gone and fail for all others: its answer
        // counts for nothing, and a new one is asked.
        this.discard(used);
      }
    }
    const client = this.current();
    try {
      return await question(await client);
    } catch (error) {
      this.discard(client);
      throw error;
    }
  }

  /** The one in use may be one that does not answer. */
  renew(): void {
    this.discard(this.#client);
  }

  /** One that failed is not used again: kafkajs does not always recover. What it has under way is let finish. */
  discard(client: Promise<C> | undefined): void {
    if (this.#client === client) this.#client = undefined;
    void client?.then(disconnected).catch(() => undefined);
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.then(disconnected).catch(() => undefined);
  }
}

/** Disconnects a client of kafkajs; one that hangs is left to its time-outs. Never rejects. */
export async function disconnected(client: Client): Promise<void> {
  await before(performance.now() + disconnectLimitMs, client.disconnect()).catch(() => undefined);
}
