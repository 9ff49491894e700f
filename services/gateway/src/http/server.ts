import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Failure } from "@seriatim/protocol";
import type { Gateway } from "../gateway.ts";
import { HttpClient } from "./client.ts";
import { rejectionOf, type Admission } from "./guard.ts";

export interface HttpOptions extends Admission {
  /** 0 for any that is free. */
  readonly port: number;
}

const path = "/mcp";
const sessionHeader = "mcp-session-id";

/** How long calls that were begun may still take at the end, in ms. */
const patience = 300;

/** Serves clients over streamable HTTP, each in a session of its own. */
export class HttpServer {
  readonly #gateway: Gateway;
  readonly #options: HttpOptions;
  readonly #server: Server;
  readonly #clients = new Map<string, HttpClient>();
  /** Whose first request has not been read whole: they take up room as clients do. */
  readonly #beginning = new Set<StreamableHTTPServerTransport>();

  private constructor(gateway: Gateway, options: HttpOptions) {
    this.#gateway = gateway;
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => this.#fail(response, error));
    });
  }

  /** @throws Failure `unavailable` when it cannot listen there. */
  static async listen(gateway: Gateway, options: HttpOptions): Promise<HttpServer> {
    const served = new HttpServer(gateway, options);
    const { host, port } = options;
    try {
      await once(served.#server.listen(port, host), "listening");
      return served;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Failure(
        "unavailable",
        `port ${port} of ${host} cannot be listened on (${reason}); give another --http PORT`,
      );
    }
  }

  get url(): string {
    const { address, family, port } = this.#server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${port}${path}`;
  }

  /** How many clients have a session. */
  get clients(): number {
    return this.#clients.size;
  }

  /** Resolves when `signal` has fired and all is closed. */
  async until(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await once(signal, "abort");
    await this.close();
  }

  async close(): Promise<void> {
    this.#server.close();
    const late = setTimeout(() => void this.#closeClients(), patience).unref();
    await Promise.all(Array.from(this.#clients.values(), ({ session }) => session.calls.idle()));
    clearTimeout(late);
    await this.#closeClients();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rejection = rejectionOf(request, this.#options);
    if (rejection !== undefined) return refuse(response, rejection.status, rejection.message);
    const { url = "/" } = request;
    const here = "http://localhost";
    const asked = URL.canParse(url, here) ? new URL(url, here).pathname : url;
    if (asked !== path) return refuse(response, 404, `there is nothing at ${asked}; the server is at ${path}`);
    const id = request.headers[sessionHeader];
    if (typeof id === "string") return this.#serveKnown(id, request, response);
    if (request.method !== "POST") return refuse(response, 400, "a session is begun by a POST that initializes it");
    return this.#serveNew(request, response);
  }

  async #serveKnown(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const client = this.#clients.get(id);
    if (client === undefined)
      return refuse(response, 404, "there is no such session, or it has ended; initialize a new one");
    client.watch(response, request.method === "GET");
    await client.transport.handleRequest(request, response);
  }

  async #serveNew(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        this.#beginning.delete(transport);
        this.#clients.set(id, client);
      },
      onsessionclosed: (id) => this.#end(id),
    });
    this.#beginning.add(transport);
    let client: HttpClient;
    try {
      if (!(await this.#hasRoom())) return refuse(response, 503, "too many clients are connected; try again later");
      client = new HttpClient(transport, await this.#gateway.connect(transport), this.#gateway.limits.lostAfter);
      client.watch(response, false);
      await transport.handleRequest(request, response);
      // It was no request that begins a session, and was answered so.
      if (transport.sessionId === undefined) await client.close();
    } finally {
      this.#beginning.delete(transport);
    }
  }

  /** Where too many have a session, those that were idle longest have had it. */
  async #hasRoom(): Promise<boolean> {
    while (this.#clients.size + this.#beginning.size > this.#gateway.limits.sessions) {
      let longest: [string, HttpClient] | undefined;
      for (const [id, client] of this.#clients)
        if (client.isIdle && (longest === undefined || client.usedAt < longest[1].usedAt)) longest = [id, client];
      if (longest === undefined) return false;
      await this.#end(longest[0]);
    }
    return true;
  }

  async #end(id: string): Promise<void> {
    const client = this.#clients.get(id);
    this.#clients.delete(id);
    await client?.close();
  }

  async #closeClients(): Promise<void> {
    await Promise.all([...this.#clients.keys()].map((id) => this.#end(id)));
  }

  #fail(response: ServerResponse, error: unknown): void {
    this.#gateway.log(`a request failed: ${error instanceof Error ? error.message : String(error)}`);
    if (response.headersSent) response.destroy();
    else refuse(response, 500, "the server failed; its log says why");
  }
}

/** JSON-RPC's range for errors of a server's own. */
const serverError = -32_000;

function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = { "Content-Type": "application/json", ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}) };
  response
    .writeHead(status, headers)
    .end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: serverError, message } }));
}
