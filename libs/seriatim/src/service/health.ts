import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "@seriatim/protocol";
import type { Logger } from "pino";
import type { Address } from "../cli/address.ts";
import type { Exported } from "./registry.ts";

/** Why a service is not healthy or not ready; undefined when it is. */
export interface Health {
  /** It will not get well by itself: start it again, or look into it. */
  sickness(): string | undefined;
  /** It cannot do its work now. */
  unreadiness(): string | undefined;
}

export interface HealthServer {
  /** Where it listens, as `host:port`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves `/healthz`, `/readyz` (200, or 503 and the reason) and `/metrics` (Prometheus' text).
 * @throws Failure `unavailable` when it cannot listen there.
 */
export async function serveHealth(address: Address, exported: Exported, health: Health): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(request.url ?? "", response, exported, health).catch((error: unknown) => {
      respond(response, 500, `${error instanceof Error ? error.message : String(error)}\n`);
    });
  });
  await listening(server, address);
  const { address: host, port } = server.address() as AddressInfo;
  return {
    address: `${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Does the work, and serves its health and metrics meanwhile where there is an address for them. */
export async function whileServing<T>(
  address: Address | undefined,
  { exported, health, log }: { readonly exported: Exported; readonly health: Health; readonly log: Logger },
  work: () => Promise<T>,
): Promise<T> {
  if (address === undefined) return work();
  const server = await serveHealth(address, exported, health);
  log.info({ address: server.address }, "listening");
  try {
    return await work();
  } finally {
    await server.close();
  }
}

async function answer(url: string, response: ServerResponse, exported: Exported, health: Health): Promise<void> {
  const [path = ""] = url.split("?", 1);
  switch (path) {
    case "/healthz":
      return state(response, health.sickness());
    case "/readyz":
      return state(response, health.sickness() ?? health.unreadiness());
    case "/metrics":
      return respond(response, 200, await exported.text(), exported.contentType);
    default:
      return respond(response, 404, "There are /healthz, /readyz and /metrics.\n");
  }
}

function state(response: ServerResponse, reason: string | undefined): void {
  if (reason === undefined) respond(response, 200, "ok\n");
  else respond(response, 503, `${reason}\n`);
}

function respond(response: ServerResponse, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  if (!response.headersSent) response.writeHead(status, { "content-type": type });
  response.end(body);
}

async function listening(server: Server, { host, port }: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const message = `cannot listen on ${host}:${port} (${cause.code ?? cause.message}): choose another address with --listen`;
      reject(new Failure("unavailable", message, { cause, canRetry: false }));
    });
    server.listen(port, host, resolve);
  });
}
