/* What is acknowledged stands, however many call at once. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { describeSpaces } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { call, dataOf, entity, metaOf, referenceOn, served, type Graph } from "./clients.ts";

interface Counted {
  readonly acknowledged: number;
  readonly standing: number;
}

/** Each client makes `each` entities, all of them at once, and one of the clients then reads what stands. */
async function counted(clients: readonly Client[], each: number): Promise<Counted> {
  const calls = clients.flatMap((client, index) =>
    Array.from({ length: each }, (_, n) => call(client, "create_entities", { entities: [entity(`e-${index}-${n}`)] })),
  );
  const results = await Promise.all(calls);
  const [first] = clients;
  if (first === undefined) throw new Error("no clients");
  const acknowledged = results.filter(({ isError }) => isError !== true);
  const { entities } = await graphAt(first, Math.max(...acknowledged.map(offsetOf)));
  return { acknowledged: acknowledged.length, standing: entities.length };
}

/** The graph, read by a process whose view has come to what another one's was told. */
async function graphAt(client: Client, offset: number): Promise<Graph> {
  for (;;) {
    const result = await call(client, "read_graph");
    if (offsetOf(result) >= offset) return dataOf(result) as unknown as Graph;
  }
}

/** Of the version that an answer names; -1 where it names none, as the reference server's. */
function offsetOf(result: CallToolResult): number {
  const version = metaOf(result, "version");
  return typeof version === "string" ? Number(version.split("@")[1]) : -1;
}

const crowds = [
  { processes: 1, each: 20 },
  { processes: 2, each: 20 },
  { processes: 8, each: 5 },
];

await describeSpaces("parallel calls of create_entities", (make) => {
  it.each(crowds)("$processes processes, $each each: all stand", async ({ processes, each }) => {
    const { flags } = await make();
    const clients = await Promise.all(Array.from({ length: processes }, () => served(flags)));
    const all = processes * each;
    expect(await counted(clients, each)).toEqual({ acknowledged: all, standing: all });
  });

  it("observations of one entity, by two processes: all stand, equal ones once", async () => {
    const { flags } = await make();
    const clients = await Promise.all([served(flags), served(flags)]);
    const [first] = clients;
    await call(first, "create_entities", { entities: [entity("shared")] });
    const contents = Array.from({ length: 15 }, (_, n) => `observation ${n}`);
    const results = await Promise.all(
      clients.flatMap((client) =>
        contents.map((content) =>
          call(client, "add_observations", { observations: [{ entityName: "shared", contents: [content] }] }),
        ),
      ),
    );
    expect(results.filter(({ isError }) => isError === true)).toEqual([]);
    const { entities } = await graphAt(first, Math.max(...results.map(offsetOf)));
    expect(entities[0]?.observations.toSorted()).toEqual(contents.toSorted());
  });
});

it("the reference server loses calls that it has acknowledged", async () => {
  const { acknowledged, standing } = await counted([await referenceOn(temporaryFile("memory.jsonl"))], 20);
  expect(acknowledged).toBe(20);
  expect(standing).toBeLessThan(20);
});
