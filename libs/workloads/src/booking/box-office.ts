import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Random } from "@seriatim/log";
import { Ledger, type LedgerReport, type OfficeAnswer, type OfficeRequest } from "./ledger.ts";
import { drawFault, officeFaults, type OfficeFault } from "./office-faults.ts";

export interface OfficeReport extends LedgerReport {
  /** How many requests each fault has hit. */
  readonly faults: Readonly<Record<OfficeFault, number>>;
  /** Requests whose clients have gone, and that it will still act on. */
  readonly toCome: number;
}

/** How long after its client has gone a request is acted on at the latest, in ms: also after what undoes it has come. */
const latest = 1_500;

/** An HTTP server with the {@link Ledger}'s books, and faults that a seed draws. `GET /report` tells what stands in them. */
export class BoxOffice {
  readonly #ledger = new Ledger();
  readonly #random: Random;
  readonly #server: Server;
  readonly #faults = new Map<OfficeFault, number>();
  #toCome = 0;

  private constructor(seed: number) {
    this.#random = new Random(seed);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** On a free port of this machine. */
  static async open(seed: number): Promise<BoxOffice> {
    const office = new BoxOffice(seed);
    office.#server.listen(0, "127.0.0.1");
    await once(office.#server, "listening");
    return office;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  report(): OfficeReport {
    const faults = Object.fromEntries(officeFaults.map((fault) => [fault, this.#faults.get(fault) ?? 0]));
    return { ...this.#ledger.report(), faults: faults as OfficeReport["faults"], toCome: this.#toCome };
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method === "GET") return answer(response, { status: 200, body: this.report() });
    const gone = once(response, "close");
    const request = await requestOf(incoming);
    this.#ledger.receive(request);
    const fault = drawFault(this.#random);
    if (fault === undefined) return answer(response, this.#ledger.act(request));
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
    switch (fault) {
      case "failed":
        return answer(response, { status: 503, body: "the box office is busy" });
      case "failed_after_acting":
        this.#ledger.act(request);
        return answer(response, { status: 500, body: "the box office has a fault" });
      case "stalled":
        return void (await gone);
      case "acted_late":
        return this.#actLate(request, gone, this.#random.below(latest));
    }
  }

  async #actLate(request: OfficeRequest, gone: Promise<unknown>, ms: number): Promise<void> {
    this.#toCome += 1;
    try {
      await gone;
      await delay(ms);
      this.#ledger.act(request);
    } finally {
      this.#toCome -= 1;
    }
  }
}

async function requestOf(incoming: IncomingMessage): Promise<OfficeRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  // A string as structured fields have it: in quotes.
  const key = String(incoming.headers["idempotency-key"]).replaceAll('"', "");
  return { path: incoming.url ?? "", key, body: Buffer.concat(chunks).toString() };
}

function answer(response: ServerResponse, { status, body }: OfficeAnswer): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
