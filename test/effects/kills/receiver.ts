import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "@seriatim/log";

export interface Request {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

/** How long it stalls at the longest, in ms: longer than its clients wait. */
const longestStall = 600;

/**
 * The outside world. `/many` acts once for each key, whatever is repeated; `/once` acts each time. Both stall, fail, and
 * act although they do not answer, by chance.
 */
export class Receiver {
  /** All that came in, in order. */
  readonly requests: Request[] = [];
  /** Keys and bodies of what was done by `/many`, in order. */
  readonly acts: Request[] = [];
  readonly #seen = new Set<string>();
  readonly #random: Random;
  readonly #server: Server;

  private constructor(seed: number) {
    this.#random = new Random(seed);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(seed: number): Promise<Receiver> {
    const receiver = new Receiver(seed);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const path = incoming.url ?? "";
    const key = String(incoming.headers["idempotency-key"]);
    const request = { path, key, body: Buffer.concat(chunks).toString() };
    this.requests.push(request);
    const chance = this.#random.below(100);
    if (chance < 10) return void response.writeHead(503).end("away");
    if (chance < 25) await delay(this.#random.below(longestStall));
    this.#act(request);
    if (chance >= 90) return void response.destroy();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ acts: this.acts.length }));
  }

  #act(request: Request): void {
    if (request.path !== "/many" || this.#seen.has(request.key)) return;
    this.#seen.add(request.key);
    this.acts.push(request);
  }
}
