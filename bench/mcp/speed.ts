import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { create, open, standing, withClients } from "./calls.ts";
import type { Subject } from "./subjects.ts";

/** What clients reach that each make one call after another. */
export interface Speed {
  readonly subject: string;
  readonly clients: number;
  readonly call: "create_entities" | "open_nodes";
  readonly callsPerSecond: number;
  /** In ms. */
  readonly p50: number;
  /** Of the calls of create_entities that were acknowledged, those that do not stand in the end. */
  readonly lost: number;
}

/** Creates, then opens what was created. */
export function speeds(subject: Subject, folder: string, clients: number, calls: number): Promise<Speed[]> {
  return withClients(subject, folder, clients, async (connected, store) => {
    // The first calls of a process pay for its start.
    await Promise.all(connected.map((client, index) => create(client, `first ${index}`)));
    const names = connected.map((_, index) => Array.from({ length: calls }, (_each, n) => `entity ${index}-${n}`));
    const created = await timed(connected, names, create);
    const lost = clients * (calls + 1) - (await standing(store));
    const opened = await timed(connected, names, open);
    const common = { subject: subject.name, clients, lost };
    return [
      { ...common, call: "create_entities", ...created },
      { ...common, call: "open_nodes", ...opened },
    ];
  });
}

async function timed(
  clients: readonly Client[],
  names: readonly (readonly string[])[],
  call: (client: Client, name: string) => Promise<boolean>,
): Promise<Pick<Speed, "callsPerSecond" | "p50">> {
  const times: number[] = [];
  const began = performance.now();
  await Promise.all(
    clients.map(async (client, index) => {
      for (const name of names[index] ?? []) {
        const at = performance.now();
        // A server that cannot read what another one has half written answers with an error: a call all the same.
        await call(client, name).catch(() => false);
        times.push(performance.now() - at);
      }
    }),
  );
  const callsPerSecond = (times.length * 1000) / (performance.now() - began);
  return { callsPerSecond, p50: times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN };
}
