import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { Random } from "@seriatim/log";

interface Named {
  readonly action: string;
}

/** What was done under a key. */
export interface Act {
  readonly args: Named;
  /** How often it was called for; it was done once. */
  calls: number;
}

/** The chance of each of a receiver's own faults. */
const faults = { refuses: 0.05, cuts: 0.05 };

/**
 * The world outside: acts, reserves and releases, each once for each idempotency key. Now and then it refuses to for the
 * moment (503), and now and then its answer is lost after it has done what it was asked.
 */
export class Receiver {
  /** By key. */
  readonly acts = new Map<string, Act>();
  /** What is reserved now, by the key that it was reserved under. */
  readonly reserved = new Map<string, Named>();
  readonly violations: string[] = [];
  readonly counts = { act: 0, reserve: 0, release: 0, refused: 0, cut: 0 };
  readonly #released = new Set<string>();
  readonly #random: Random;
  readonly #server: Server;
  readonly #listeners = new Set<() => void>();

  private constructor(seed: number) {
    this.#random = new Random(seed);
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) =>
        this.violations.push(`a call failed: ${String(error)}`),
      );
    });
  }

  static async listen(seed: number): Promise<Receiver> {
    const receiver = new Receiver(seed);
    await new Promise<void>((resolve) => receiver.#server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Calls `listener` at each call. */
  onCall(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body: unknown;
    try {
      body = await json(request);
    } catch {
      // Whoever called was killed over it.
      return;
    }
    for (const listener of this.#listeners) listener();
    if (this.#random.chance(faults.refuses)) {
      this.counts.refused += 1;
      response.writeHead(503).end();
      return;
    }
    this.#serve(request.url ?? "", String(request.headers["idempotency-key"]).replaceAll('"', ""), body);
    if (this.#random.chance(faults.cuts)) {
      this.counts.cut += 1;
      response.destroy();
    } else response.writeHead(200).end();
  }

  #serve(path: string, key: string, body: unknown): void {
    switch (path) {
      case "/act":
        return this.#act(key, body as Named);
      case "/reserve":
        this.counts.reserve += 1;
        if (!this.#released.has(key)) this.reserved.set(key, body as Named);
        return;
      case "/release": {
        const { forward } = body as { readonly forward: { readonly key: string } };
        this.counts.release += 1;
        this.#released.add(forward.key);
        this.reserved.delete(forward.key);
        return;
      }
      default:
        this.violations.push(`somebody called ${path}`);
    }
  }

  #act(key: string, args: Named): void {
    this.counts.act += 1;
    const before = this.acts.get(key);
    if (before === undefined) this.acts.set(key, { args, calls: 1 });
    else {
      before.calls += 1;
      if (JSON.stringify(before.args) !== JSON.stringify(args))
        this.violations.push(`${key} was called for with ${JSON.stringify(args)} and ${JSON.stringify(before.args)}`);
    }
  }
}
