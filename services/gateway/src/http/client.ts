import type { ServerResponse } from "node:http";
import type { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Session } from "../session.ts";

/** A client that is connected over HTTP, by any number of requests. */
export class HttpClient {
  readonly transport: StreamableHTTPServerTransport;
  readonly session: Session;
  /** When the last of its requests began or ended, by the process's monotonic clock. */
  usedAt = performance.now();
  readonly #lostAfter: number;
  #responses = 0;
  /** Whether it has ever listened for news: only of one that did is it known when it is gone. */
  #hasListened = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(transport: StreamableHTTPServerTransport, session: Session, lostAfter: number) {
    this.transport = transport;
    this.session = session;
    this.#lostAfter = lostAfter;
  }

  get isIdle(): boolean {
    return this.#responses === 0;
  }

  /** Watches over a response until it ends. */
  watch(response: ServerResponse, isListening: boolean): void {
    clearTimeout(this.#timer);
    this.usedAt = performance.now();
    this.#responses += 1;
    response.once("close", () => {
      // One that was refused was no listening.
      this.#hasListened ||= isListening && response.statusCode === 200;
      this.usedAt = performance.now();
      this.#responses -= 1;
      if (this.isIdle && this.#hasListened) this.#expect();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.session.close();
  }

  /** Its stream broke: it comes back soon, or not at all. */
  #expect(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.session.transactions.abandonAll(), this.#lostAfter).unref();
  }
}
