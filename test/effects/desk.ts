import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Reserves under the key of the call, and releases what another key reserved, or will. */
export class Desk {
  readonly reserved = new Set<string>();
  /** The keys of the calls that were undone, in order. */
  readonly released: string[] = [];
  /** Calls to `/slow-reserve`, held back. */
  readonly #slow: (() => void)[] = [];
  readonly #voided = new Set<string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const key = String(request.headers["idempotency-key"]);
        const serve = (): void => {
          response.writeHead(request.url === "/release" ? this.#release(body) : this.#reserve(key)).end();
        };
        if (request.url === "/slow-reserve") this.#slow.push(serve);
        else serve();
      });
    });
  }

  static async open(): Promise<Desk> {
    const desk = new Desk();
    await new Promise<void>((resolve) => desk.#server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      desk.#server.closeAllConnections();
      desk.#server.close();
    });
    return desk;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Has what was held back act now, though its caller may be gone. */
  letSlowOnesGo(): void {
    for (const serve of this.#slow.splice(0)) serve();
  }

  #reserve(key: string): number {
    if (this.#voided.has(key)) return 410;
    this.reserved.add(key);
    return 200;
  }

  #release(body: string): number {
    const { forward } = JSON.parse(body) as { forward: { key: string } };
    const key = `"${forward.key}"`;
    this.released.push(key);
    this.#voided.add(key);
    this.reserved.delete(key);
    return 204;
  }
}
