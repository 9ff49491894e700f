import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { Gateway, type GatewayLimits } from "@seriatim/gateway";
import { onTestFinished } from "vitest";
import type { Participant } from "../support/spaces.ts";

const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));
const reference = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/dist/index.js");

/** The official client. It is closed with the test. */
export async function connected(transport: Transport, name = "tester"): Promise<Client> {
  const client = new Client({ name, version: "1.0.0" });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

/** A process of `seriatim mcp` of its own, as an MCP client starts it. */
export function served(flags: readonly string[], name?: string): Promise<Client> {
  return connected(
    new StdioClientTransport({ command: process.execPath, args: [main, "mcp", ...flags], stderr: "ignore" }),
    name,
  );
}

/** A process of the reference server on a memory file. */
export function referenceOn(file: string): Promise<Client> {
  const env = { MEMORY_FILE_PATH: file };
  return connected(new StdioClientTransport({ command: process.execPath, args: [reference], env, stderr: "ignore" }));
}

/** A client of a gateway in this process. */
export async function clientOf(gateway: Gateway, name?: string): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const session = await gateway.connect(there);
  onTestFinished(() => session.close());
  return connected(here, name);
}

export interface GatewayOptions {
  readonly agent?: string;
  readonly limits?: Partial<GatewayLimits>;
}

export function gatewayOf({ coordinator, space }: Participant, options: GatewayOptions = {}): Gateway {
  return new Gateway({ coordinator, space, version: "0.0.0", log: () => undefined, ...options });
}

export async function call(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: { ...args } })) as CallToolResult;
}

/** What a model sees of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

/** The structured part of a result that is no error. */
export function dataOf(result: CallToolResult): Record<string, unknown> {
  if (result.isError === true) throw new Error(textOf(result));
  return result.structuredContent ?? {};
}

/** What our own `_meta` of a result says under this name. */
export function metaOf({ _meta: meta }: CallToolResult, name: string): unknown {
  return meta?.[`seriatim/${name}`];
}

export interface Graph {
  readonly entities: readonly { name: string; entityType: string; observations: string[] }[];
  readonly relations: readonly { from: string; to: string; relationType: string }[];
}

export async function graphOf(client: Client, args: object = {}): Promise<Graph> {
  return dataOf(await call(client, "read_graph", args)) as unknown as Graph;
}

export function entity(name: string, ...observations: string[]) {
  return { name, entityType: "thing", observations };
}
