import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Store, Subject } from "./subjects.ts";

/** Makes one entity of this name. Returns whether that was acknowledged. */
export async function create(client: Client, name: string): Promise<boolean> {
  const entities = [{ name, entityType: "thing", observations: ["one observation"] }];
  const { isError } = await client.callTool({ name: "create_entities", arguments: { entities } });
  return isError !== true;
}

/** Returns whether it was found. */
export async function open(client: Client, name: string): Promise<boolean> {
  const { structuredContent } = await client.callTool({ name: "open_nodes", arguments: { names: [name] } });
  return (structuredContent as { readonly entities: readonly unknown[] }).entities.length > 0;
}

/** How many entities stand, as a server finds them that starts now. */
export async function standing(store: Store): Promise<number> {
  const client = await store.connect();
  try {
    const { structuredContent } = await client.callTool({ name: "read_graph", arguments: {} });
    return (structuredContent as { readonly entities: readonly unknown[] }).entities.length;
  } finally {
    await client.close();
  }
}

/** Calls `work` with so many clients, each of a server process of its own, on an empty memory. */
export async function withClients<T>(
  subject: Subject,
  folder: string,
  count: number,
  work: (clients: readonly Client[], store: Store) => Promise<T>,
): Promise<T> {
  const store = await subject.make(folder);
  const clients = await Promise.all(Array.from({ length: count }, () => store.connect()));
  try {
    return await work(clients, store);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await store.close();
  }
}
