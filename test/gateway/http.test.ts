/* Over HTTP: who is let in, sessions, and clients that are lost. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { HttpServer, type GatewayLimits } from "@seriatim/gateway";
import { createCoordinator } from "@seriatim/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { temporaryFile } from "../support/temporary.ts";
import { call, connected, dataOf, entity, gatewayOf, graphOf, textOf } from "./clients.ts";

interface Options {
  readonly token?: string;
  readonly origins?: readonly string[];
  readonly limits?: Partial<GatewayLimits>;
}

async function listening({ token, origins = [], limits = {} }: Options = {}): Promise<HttpServer> {
  const space = await EmbeddedSpace.open(temporaryFile());
  const coordinator = createCoordinator(space);
  const gateway = gatewayOf({ coordinator, space }, { limits });
  const server = await HttpServer.listen(gateway, { host: "127.0.0.1", port: 0, token, origins });
  onTestFinished(async () => {
    await server.close();
    await coordinator.close();
  });
  return server;
}

function clientOf({ url }: HttpServer, name: string, token?: string): Promise<Client> {
  return connected(transportTo(url, token), name);
}

function transportTo(url: string, token?: string): StreamableHTTPClientTransport {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
}

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

const both = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

/** A request as no library would send it: `fetch` sets Host and Origin by itself. */
async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const all = { ...both, ...headers };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", headers: all }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode, body: answer }), reject);
    });
    sent.on("error", reject).end(body);
  });
}

/** The status of a request for a path as it stands. */
async function requested({ url }: HttpServer, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port: new URL(url).port, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
}

/** A request whose client takes its time over the second half. */
function halfPosted(url: string, body: string): { readonly status: Promise<number | undefined>; finish(): void } {
  const headers = { ...both, "Content-Length": Buffer.byteLength(body) };
  const sent = request(url, { method: "POST", headers });
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.on("error", reject).on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
  });
  sent.write(body.slice(0, 10));
  return { status, finish: () => void sent.end(body.slice(10)) };
}

const posted = (server: HttpServer, headers: Record<string, string> = {}): Promise<Answer> =>
  post(server.url, JSON.stringify(hello), headers);

describe("who is let in", () => {
  it("without a token, programs and pages of this machine", async () => {
    const server = await listening({ origins: ["https://allowed.example"] });
    expect(await posted(server)).toMatchObject({ status: 200 });
    expect(await posted(server, { Origin: "http://localhost:5173" })).toMatchObject({ status: 200 });
    // As --host 127.0.0.2 has it.
    expect(await posted(server, { Host: "127.0.0.2:8080" })).toMatchObject({ status: 200 });
    expect(await posted(server, { Origin: "https://allowed.example" })).toMatchObject({ status: 200 });
    const page = await posted(server, { Origin: "https://evil.example" });
    expect(page).toMatchObject({ status: 403 });
    expect(page.body).toContain("--allow-origin");
    expect(await posted(server, { Origin: "null" })).toMatchObject({ status: 403 });
    // A name that somebody points at this machine.
    expect(await posted(server, { Host: "evil.example" })).toMatchObject({ status: 403 });
  });

  it("with a token, whoever has it", async () => {
    const token = "a-secret-of-some-length";
    const server = await listening({ token });
    expect(await posted(server)).toMatchObject({ status: 401 });
    expect(await posted(server, { Authorization: "Bearer a-secret-of-some-lengtH" })).toMatchObject({ status: 401 });
    expect(await posted(server, { Authorization: token })).toMatchObject({ status: 401 });
    const right = { Authorization: `Bearer ${token}`, Host: "memory.example" };
    expect(await posted(server, right)).toMatchObject({ status: 200 });
    await expect(clientOf(server, "wrong", "no")).rejects.toThrow(/token/);
    const client = await clientOf(server, "right", token);
    dataOf(await call(client, "create_entities", { entities: [entity("x")] }));
  });
});

describe("sessions", () => {
  it("clients share the memory, each under its own name", async () => {
    const server = await listening();
    const [ada, bob] = [await clientOf(server, "ada"), await clientOf(server, "bob")];
    dataOf(await call(ada, "create_entities", { entities: [entity("x")] }));
    expect((await graphOf(bob, { agent: "ada" })).entities).toEqual([entity("x")]);
    expect(server.clients).toBe(2);
  });

  it("one that ends its session ends it, with its transactions; another's are none of its own", async () => {
    const server = await listening({ limits: { transactions: 1 } });
    const transport = transportTo(server.url);
    const [ada, bob] = [await connected(transport, "ada"), await clientOf(server, "bob")];
    const { transaction } = dataOf(await call(ada, "begin"));
    expect(textOf(await call(bob, "commit", { transaction }))).toContain("is none of this session");
    expect(textOf(await call(bob, "begin"))).toContain("the limit of all sessions together");
    await transport.terminateSession();
    await vi.waitFor(async () => dataOf(await call(bob, "begin")));
    expect(server.clients).toBe(1);
  });

  it("one whose stream breaks and that does not come back loses what it had open", async () => {
    const server = await listening({ limits: { transactions: 1, lostAfter: 20 } });
    const [ada, bob] = [await clientOf(server, "ada"), await clientOf(server, "bob")];
    dataOf(await call(ada, "begin"));
    expect((await call(bob, "begin")).isError).toBe(true);
    await ada.close();
    await vi.waitFor(async () => dataOf(await call(bob, "begin")));
  });

  it("one that asked to listen in vain is not taken to be lost", async () => {
    const server = await listening({ limits: { transactions: 2, lostAfter: 20 } });
    const begun = await fetch(server.url, { method: "POST", headers: both, body: JSON.stringify(hello) });
    const id = { "Mcp-Session-Id": begun.headers.get("mcp-session-id") ?? "" };
    const told = async (name: string, args: object): Promise<string> => {
      const message = { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name, arguments: args } };
      return (await post(server.url, JSON.stringify(message), id)).body;
    };
    const [transaction] = /tx-[0-9a-f]+/.exec(await told("begin", {})) ?? [];
    expect((await fetch(server.url, { headers: { ...id, Accept: "application/json" } })).status).toBe(406);
    // Until one that is lost later has lost what it had open.
    const [ada, bob] = [await clientOf(server, "ada"), await clientOf(server, "bob")];
    dataOf(await call(ada, "begin"));
    await ada.close();
    await vi.waitFor(async () => dataOf(await call(bob, "begin")));
    expect(await told("get", { transaction, key: "policy/budget" })).toContain('"found":false');
  });

  it("are no more than there is room for, though many begin at once and slowly; then the one idle longest ends", async () => {
    const server = await listening({ limits: { sessions: 2 } });
    const body = JSON.stringify(hello);
    const begun = Array.from({ length: 5 }, () => halfPosted(server.url, body));
    const statuses: (number | undefined)[] = [];
    for (const each of begun) void each.status.then((status) => statuses.push(status));
    await vi.waitFor(() => expect(statuses).toEqual([503, 503, 503]), 5_000);
    for (const each of begun) each.finish();
    await vi.waitFor(() => expect(statuses).toEqual([503, 503, 503, 200, 200]), 5_000);
    expect(server.clients).toBe(2);
    expect(await posted(server)).toMatchObject({ status: 200 });
    expect(server.clients).toBe(2);
  });

  it("what is no request, too large, or of no session is answered so, and the server goes on", async () => {
    const server = await listening();
    expect(await post(server.url, "{broken")).toMatchObject({ status: 400 });
    expect(await post(server.url, "[]")).toMatchObject({ status: 400 });
    expect(await post(server.url, `"${"x".repeat(20_000_000)}"`)).toMatchObject({ status: 413 });
    expect(await posted(server, { "Mcp-Session-Id": "none" })).toMatchObject({ status: 404 });
    expect(await post(server.url.replace("/mcp", "/"), "{}")).toMatchObject({ status: 404 });
    expect(await requested(server, "//")).toBe(404);
    expect(server.clients).toBe(0);
    const client = await clientOf(server, "after");
    expect(await graphOf(client)).toEqual({ entities: [], relations: [] });
  });
});
