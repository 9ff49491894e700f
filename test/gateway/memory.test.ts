/* What the memory has beyond the reference server's: who wrote what, views of it, its limits, and odd names. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { describeSpaces, type MakeSpace } from "../support/spaces.ts";
import { call, clientOf, dataOf, entity, gatewayOf, graphOf, metaOf, textOf, type Graph } from "./clients.ts";

interface Origin {
  readonly agent: string;
  readonly session: string;
  readonly version: string;
}

interface Provenance {
  readonly entities: readonly (Origin & { readonly name: string; readonly observations: readonly Origin[] })[];
  readonly relations: readonly (Origin & { readonly from: string })[];
}

/** Clients of one gateway that call themselves so. */
async function clients<const Names extends readonly string[]>(make: MakeSpace, names: Names) {
  const participant = await (await make()).join();
  const gateway = gatewayOf(participant);
  const connected: Client[] = [];
  for (const name of names) connected.push(await clientOf(gateway, name));
  return connected as { [Index in keyof Names]: Client };
}

async function provenanceOf(client: Client, args: object = {}): Promise<Provenance> {
  return metaOf(await call(client, "read_graph", args), "provenance") as Provenance;
}

async function told(client: Client, tool: string, args: object): Promise<string> {
  const result = await call(client, tool, args);
  dataOf(result);
  return String(metaOf(result, "version"));
}

await describeSpaces("the memory", (make) => {
  it("each entity, relation and observation has its agent, session and version", async () => {
    const [ada, bob] = await clients(make, ["ada", "bob"]);
    const first = await told(ada, "create_entities", { entities: [entity("x", "one")] });
    const add = { observations: [{ entityName: "x", contents: ["two"] }] };
    const second = await told(bob, "add_observations", add);
    const third = await told(bob, "create_relations", { relations: [{ from: "x", to: "y", relationType: "r" }] });
    const { entities, relations } = await provenanceOf(ada);
    expect(entities).toMatchObject([
      {
        name: "x",
        agent: "ada",
        version: first,
        observations: [
          { agent: "ada", version: first },
          { agent: "bob", version: second },
        ],
      },
    ]);
    expect(relations).toMatchObject([{ from: "x", agent: "bob", version: third }]);
    const [x] = entities;
    expect(x?.observations[0]?.session).toBe(x?.session);
    expect(x?.observations[1]?.session).not.toBe(x?.session);
  });

  it("one agent's memories are told from another's, by name or by name and session", async () => {
    const [ada, bob] = await clients(make, ["ada", "bob"]);
    await told(ada, "create_entities", { entities: [entity("of ada", "hers"), entity("alone")] });
    await told(bob, "create_entities", { entities: [entity("of bob", "his")] });
    await told(bob, "add_observations", { observations: [{ entityName: "of ada", contents: ["his too"] }] });
    const expected = [entity("of ada", "his too"), entity("of bob", "his")];
    expect((await graphOf(ada, { agent: "bob" })).entities).toEqual(expected);
    const { entities } = await provenanceOf(ada, { agent: "bob" });
    const session = entities[1]?.session ?? "";
    expect((await graphOf(ada, { agent: `bob:${session}` })).entities).toEqual(expected);
    expect((await graphOf(ada, { agent: "nobody" })).entities).toEqual([]);
    const search = dataOf(await call(ada, "search_nodes", { query: "HERS", agent: "bob" }));
    expect(search).toEqual({ entities: [], relations: [] });
  });

  it("the memory as it was, at a version and at a time", async () => {
    const [ada] = await clients(make, ["ada"]);
    const asOf = await told(ada, "create_entities", { entities: [entity("x", "one")] });
    await told(ada, "delete_entities", { entityNames: ["x"] });
    await told(ada, "create_entities", { entities: [entity("x", "anew")] });
    const before = { entities: [entity("x", "one")], relations: [] };
    expect(await graphOf(ada, { asOf })).toEqual(before);
    expect(dataOf(await call(ada, "search_nodes", { query: "one", asOf }))).toEqual(before);
    expect(dataOf(await call(ada, "open_nodes", { names: ["x"], asOf }))).toEqual(before);
    expect((await graphOf(ada)).entities).toEqual([entity("x", "anew")]);
    expect((await graphOf(ada, { asOf: "2001-01-01T00:00Z" })).entities).toEqual([]);
    const wrong = await call(ada, "read_graph", { asOf: "yesterday" });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain('asOf is "yesterday"; give a version, such as 0@42');
  });

  it("a relation made while its entity is deleted goes with it, or stands after it: never by halves", async () => {
    const [ada, bob] = await clients(make, ["ada", "bob"]);
    const relations = Array.from({ length: 8 }, (_, n) => ({ from: `x${n}`, to: "hub", relationType: "r" }));
    await told(ada, "create_entities", { entities: [entity("hub")] });
    await Promise.all([
      call(ada, "delete_entities", { entityNames: ["hub"] }),
      ...relations.map((relation) => call(bob, "create_relations", { relations: [relation] })),
    ]);
    // Found from the one end if and only if from the other.
    await told(ada, "create_entities", { entities: [entity("hub")] });
    const whole = await graphOf(ada);
    const near = dataOf(await call(ada, "open_nodes", { names: ["hub"] })) as unknown as Graph;
    expect(near.relations).toEqual(whole.relations);
    await told(ada, "delete_entities", { entityNames: ["hub"] });
    expect(await graphOf(ada)).toEqual({ entities: [], relations: [] });
  });

  it("a call of more than a transaction may write is refused whole, and names the limit", async () => {
    const [ada] = await clients(make, ["ada"]);
    const entities = Array.from({ length: 501 }, (_, n) => entity(`e${n}`));
    const result = await call(ada, "create_entities", { entities });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("has written 500 keys, which is the limit of this space (writes)");
    expect(metaOf(result, "failure")).toEqual({ code: "invalid_argument", canRetry: false });
    expect((await graphOf(ada)).entities).toEqual([]);
  });

  it("an observation of an entity that is made in the same breath", async () => {
    const [ada] = await clients(make, ["ada"]);
    const results = await Promise.all([
      call(ada, "create_entities", { entities: [entity("x")] }),
      call(ada, "add_observations", { observations: [{ entityName: "x", contents: ["seen"] }] }),
    ]);
    for (const result of results) dataOf(result);
    expect((await graphOf(ada)).entities).toEqual([entity("x", "seen")]);
  });

  it("many entities are deleted in one call, with what belongs to them", async () => {
    const [ada] = await clients(make, ["ada"]);
    const names = Array.from({ length: 60 }, (_, n) => `e${n}`);
    await told(ada, "create_entities", { entities: names.map((name) => entity(name, "o")) });
    await told(ada, "create_relations", { relations: names.map((from) => ({ from, to: "other", relationType: "r" })) });
    await told(ada, "delete_entities", { entityNames: names });
    expect(await graphOf(ada)).toEqual({ entities: [], relations: [] });
  });

  it("who has subscribed is told of a change, also of another client's", async () => {
    const [ada, bob] = await clients(make, ["ada", "bob"]);
    const uri = "memory://knowledge-graph";
    const updated = new Promise<string>((resolve) => {
      ada.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    });
    await ada.subscribeResource({ uri });
    await told(bob, "create_entities", { entities: [entity("x")] });
    expect(await updated).toBe(uri);
    const [content] = (await ada.readResource({ uri })).contents;
    const text = content !== undefined && "text" in content ? content.text : "";
    expect(JSON.parse(text)).toEqual({ entities: [entity("x")], relations: [] });
  });
});

const odd = {
  empty: "",
  space: " ",
  slashes: "a/b//c/",
  "a percent sign": "a%2fb",
  "a tilde": "~a",
  emoji: "👩‍👩‍👧🦆",
  "upper case": "Name",
  "lower case": "name",
  composed: "\u00e9",
  decomposed: "e\u0301",
  "U+0000": "a\u0000b",
  "a line feed": "a\nb",
  "50,000 characters": "long ".repeat(10_000),
  "50,000 others": `${"long ".repeat(9_999)}LONG `,
};

await describeSpaces("odd names", (make) => {
  it("each is an entity of its own, and comes back byte for byte", async () => {
    const [ada] = await clients(make, ["ada"]);
    const names = Object.values(odd);
    for (const name of names) {
      await told(ada, "create_entities", { entities: [entity(name, name, `of ${name}`)] });
      await told(ada, "create_relations", { relations: [{ from: name, to: name, relationType: name }] });
    }
    const { entities, relations } = await graphOf(ada);
    expect(entities).toEqual(names.map((name) => entity(name, name, `of ${name}`)));
    expect(relations).toEqual(names.map((name) => ({ from: name, to: name, relationType: name })));
    for (const name of names) {
      const found = dataOf(await call(ada, "open_nodes", { names: [name] })) as unknown as Graph;
      expect(found.entities.map((each) => each.name)).toEqual([name]);
      expect(found.relations).toHaveLength(1);
      await told(ada, "delete_entities", { entityNames: [name] });
    }
    expect(await graphOf(ada)).toEqual({ entities: [], relations: [] });
  });

  it("what is no memory, at a key below it, hides none of what is", async () => {
    const participant = await (await make()).join();
    const ada = await clientOf(gatewayOf(participant), "ada");
    await told(ada, "create_entities", { entities: [entity("x")] });
    const author = { agent: "stray", session: "", at: 1 };
    await participant.coordinator.run({ agent: "stray" }, (tx) => {
      tx.put("memory/e/x/r/1", { from: "lone \ud800", to: "x", relationType: "is", ...author });
      tx.put("memory/e/x/r/2", { from: "x", to: 1, relationType: "is", ...author });
      tx.put("memory/e/y/n", "y");
    });
    await expect.poll(() => graphOf(ada)).toEqual({ entities: [entity("x")], relations: [] });
    await told(ada, "delete_entities", { entityNames: ["x"] });
    expect(await graphOf(ada)).toEqual({ entities: [], relations: [] });
  });

  it("what is no text or too long is refused with the reason, and nothing is written", async () => {
    const [ada] = await clients(make, ["ada"]);
    const long = "y".repeat(300_000);
    const refused: [object, string][] = [
      [entity("lone \ud800"), "holds a lone surrogate"],
      [entity("x", "lone \udfff"), "holds a lone surrogate"],
      [entity("x", long), "at most 262144 are allowed"],
      [entity(long), "at most 262144 are allowed"],
    ];
    for (const [each, reason] of refused) {
      const result = await call(ada, "create_entities", { entities: [entity("before"), each] });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(reason);
    }
    expect(await graphOf(ada)).toEqual({ entities: [], relations: [] });
  });
});
