/* The memory's tools are those of the reference server: both are called with the same, and answer the same. */
import { rmSync } from "node:fs";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { createCoordinator } from "@seriatim/client";
import { temporaryFile } from "../support/temporary.ts";
import { call, clientOf, entity, gatewayOf, referenceOn, textOf } from "./clients.ts";

/** Few, so that calls meet; and odd ones. */
const names = ["a", "b", "A", "", "a/b", "a%2fb", "é", "e\u0301", "🦆", "x".repeat(2_000), "line\nfeed", "\u0000"];
const name = fc.constantFrom(...names);
const texts = fc.constantFrom("one", "two", "Two", "", "🦆", "y".repeat(300));
const observations = fc.array(texts, { maxLength: 4 });
const relation = fc.record({ from: name, to: name, relationType: fc.constantFrom("knows", "is/not", "") });
/** The same one twice in a call is where the two differ on purpose; see below. */
const relations = fc.uniqueArray(relation, { maxLength: 4, selector: (each) => JSON.stringify(Object.values(each)) });

const step = fc.oneof(
  fc.record({
    tool: fc.constant("create_entities"),
    args: fc.record({
      entities: fc.uniqueArray(fc.record({ name, entityType: texts, observations }), {
        maxLength: 4,
        selector: (each) => each.name,
      }),
    }),
  }),
  fc.record({ tool: fc.constantFrom("create_relations", "delete_relations"), args: fc.record({ relations }) }),
  fc.record({
    tool: fc.constant("add_observations"),
    args: fc.record({
      observations: fc.array(fc.record({ entityName: name, contents: observations }), { maxLength: 3 }),
    }),
  }),
  fc.record({
    tool: fc.constant("delete_entities"),
    args: fc.record({ entityNames: fc.array(name, { maxLength: 2 }) }),
  }),
  fc.record({
    tool: fc.constant("delete_observations"),
    args: fc.record({ deletions: fc.array(fc.record({ entityName: name, observations }), { maxLength: 3 }) }),
  }),
  fc.record({ tool: fc.constant("read_graph"), args: fc.constant({}) }),
  fc.record({ tool: fc.constant("search_nodes"), args: fc.record({ query: fc.constantFrom("", "A", "two", "🦆") }) }),
  fc.record({ tool: fc.constant("open_nodes"), args: fc.record({ names: fc.array(name, { maxLength: 3 }) }) }),
  // What no server takes.
  fc.record({
    tool: fc.constantFrom("create_entities", "open_nodes", "no_such_tool"),
    args: fc.constant({ names: 1 }),
  }),
);

/** What a client sees of an answer; ours says more in `_meta`. */
async function shown(client: Client, tool: string, args: object) {
  const { content, structuredContent, isError } = await call(client, tool, args);
  return { content, structuredContent, isError };
}

it("random sequences of calls are answered alike, call by call", { timeout: 240_000 }, async () => {
  const file = temporaryFile("memory.jsonl");
  const reference = await referenceOn(file);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      rmSync(file, { force: true });
      const space = await EmbeddedSpace.open(temporaryFile());
      const coordinator = createCoordinator(space);
      try {
        const ours = await clientOf(gatewayOf({ coordinator, space }));
        for (const { tool, args } of steps)
          expect(await shown(ours, tool, args)).toEqual(await shown(reference, tool, args));
        expect(await shown(ours, "read_graph", {})).toEqual(await shown(reference, "read_graph", {}));
      } finally {
        await coordinator.close();
      }
    }),
    { numRuns: 60 },
  );
});

const own = new Set(["agent", "asOf"]);

it("names, schemas, descriptions and annotations are the reference server's", async () => {
  const space = await EmbeddedSpace.open(temporaryFile());
  const coordinator = createCoordinator(space);
  const ours = await (await clientOf(gatewayOf({ coordinator, space }))).listTools();
  const theirs = await (await referenceOn(temporaryFile("memory.jsonl"))).listTools();
  expect(theirs.tools).toHaveLength(9);
  for (const tool of theirs.tools) {
    const same = ours.tools.find(({ name: ourName }) => ourName === tool.name);
    const properties = Object.entries(same?.inputSchema.properties ?? {}).filter(([key]) => !own.has(key));
    const inputSchema = { ...same?.inputSchema, properties: Object.fromEntries(properties) };
    expect({ ...same, inputSchema }).toEqual(tool);
  }
  await coordinator.close();
});

it("what is given twice in one call stands once, where the reference server keeps both", async () => {
  const space = await EmbeddedSpace.open(temporaryFile());
  const coordinator = createCoordinator(space);
  const ours = await clientOf(gatewayOf({ coordinator, space }));
  const reference = await referenceOn(temporaryFile("memory.jsonl"));
  const entities = [entity("same", "first"), entity("same", "second")];
  const twice = { from: "a", to: "b", relationType: "c" };
  for (const [client, standing] of [
    [ours, 1],
    [reference, 2],
  ] as const) {
    const made = await call(client, "create_entities", { entities });
    expect(JSON.parse(textOf(made))).toHaveLength(standing);
    const related = await call(client, "create_relations", { relations: [twice, twice] });
    expect(JSON.parse(textOf(related))).toHaveLength(standing);
  }
  await coordinator.close();
});
