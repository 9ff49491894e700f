/* A call that is held back on its way until after its inverse: over HTTP, to a receiver that voids what is undone. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { httpHandlersOf, idempotencyKey, type HandlerDefinition } from "@seriatim/effects";
import { expect, it, onTestFinished } from "vitest";
import { describeSpaces } from "../support/spaces.ts";
import { HoldingAgent } from "./holding-agent.ts";
import { startWorker } from "./workers.ts";

/** Reserves under the key of the call, and releases what another key reserved, or will. */
class Desk {
  readonly reserved = new Set<string>();
  readonly released: string[] = [];
  readonly #voided = new Set<string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        const status =
          request.url === "/reserve" ? this.#reserve(String(request.headers["idempotency-key"])) : this.#release(body);
        response.writeHead(status).end();
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

function releaseAt(url: string): HandlerDefinition {
  const SERIATIM_HTTP_HANDLERS = JSON.stringify({ release: { url: `${url}/release`, voids: true } });
  const release = httpHandlersOf({ SERIATIM_HTTP_HANDLERS }).get("release");
  if (release === undefined) throw new Error("it was not configured");
  return { call: (args, context) => release.call(args, context), voids: release.voids };
}

await describeSpaces("a call that its agent has made", (make) => {
  it.each(["before its inverse", "after its inverse"])("and that arrives %s leaves nothing behind", async (when) => {
    const participant = await (await make()).join();
    const desk = await Desk.open();
    const agent = new HoldingAgent(participant);
    const held = await agent.hold({ lease: 300 });
    const { space } = participant.space.genesis;
    const key = `"${idempotencyKey({ space, ...held, index: 0, side: "forward" })}"`;
    const arrive = async (): Promise<number> =>
      (await fetch(`${desk.url}/reserve`, { method: "POST", headers: { "Idempotency-Key": key } })).status;
    // The agent dies with the call on its way: it says nothing of it any more.
    if (when === "before its inverse") expect(await arrive()).toBe(200);
    await startWorker(participant.space, { release: releaseAt(desk.url) });
    await expect.poll(() => desk.released, { timeout: 20_000 }).toEqual([key]);
    if (when === "after its inverse") expect(await arrive()).toBe(410);
    expect([...desk.reserved]).toEqual([]);
  });
});
