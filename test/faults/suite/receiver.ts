import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { Random } from "@seriatim/log";

/** What was done under a key. */
export interface Act {
  readonly args: unknown;
  /** How often it was called for; it was done once. */
  calls: number;
}

/** The chance of each of a receiver's own faults. */
const faults = { refuses: 0.05, cuts: 0.05 };

/**
 * The world outside: does what it is asked once for each idempotency key. Now and then it refuses to for the moment
 * (503), and now and then its answer is lost after it has acted.
 */
export class Receiver {
  readonly acts = new Map<string, Act>();
  readonly violations: string[] = [];
  readonly counts = { calls: 0, refused: 0, cut: 0 };
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

  /** Calls `listener` after each act. */
  onAct(listener: () => void): void {
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const key = request.headers["idempotency-key"];
    let args: unknown;
    try {
      args = await json(request);
    } catch {
      // Whoever called was killed over it.
      return;
    }
    if (typeof key !== "string") {
      this.violations.push(`a call without a key: ${JSON.stringify(args)}`);
      return;
    }
    this.counts.calls += 1;
    if (this.#random.chance(faults.refuses)) {
      this.counts.refused += 1;
      response.writeHead(503).end();
      return;
    }
    this.#act(key.replaceAll('"', ""), args);
    if (this.#random.chance(faults.cuts)) {
      this.counts.cut += 1;
      response.destroy();
    } else response.writeHead(200).end();
  }

  #act(key: string, args: unknown): void {
    const before = this.acts.get(key);
    if (before === undefined) this.acts.set(key, { args, calls: 1 });
    else {
      before.calls += 1;
      if (JSON.stringify(before.args) !== JSON.stringify(args))
        this.violations.push(`${key} was called for with ${JSON.stringify(args)} and ${JSON.stringify(before.args)}`);
    }
    for (const listener of this.#listeners) listener();
  }
}
