/* What clients do wrong, and what becomes of them: a clear answer, nothing lost, and the server goes on. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { createCoordinator } from "@seriatim/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { describeSpaces } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { call, clientOf, dataOf, entity, gatewayOf, graphOf, served, textOf, type GatewayOptions } from "./clients.ts";

const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));

/** A server process that is written to by hand, line by line. */
class Raw {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  constructor(file: string) {
    this.child = spawn(process.execPath, [main, "mcp", "--file", file]);
    onTestFinished(() => void this.child.kill("SIGKILL"));
    this.#lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  send(line: string): void {
    this.child.stdin.write(`${line}\n`);
  }

  async hello(): Promise<void> {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    this.request(0, "initialize", params);
    await this.answer();
    this.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
  }

  request(id: number, method: string, params: object): void {
    this.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  async answer(): Promise<Record<string, unknown>> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("the server ended");
    return JSON.parse(value) as Record<string, unknown>;
  }
}

const create = (name: string) => ({ name: "create_entities", arguments: { entities: [entity(name)] } });

async function graphIn(file: string) {
  return graphOf(await served(["--file", file]));
}

describe("over stdin and stdout", () => {
  it("a message that is no JSON, or no request, is answered so, and the server goes on", async () => {
    const raw = new Raw(temporaryFile());
    await raw.hello();
    raw.send("{broken");
    expect(await raw.answer()).toMatchObject({ id: null, error: { code: -32_700 } });
    raw.send('{"jsonrpc":"2.0","id":{},"method":1}');
    expect(await raw.answer()).toMatchObject({ id: null, error: { code: -32_600 } });
    raw.request(1, "no/such/method", {});
    expect(await raw.answer()).toMatchObject({ id: 1, error: { code: -32_601 } });
    raw.request(2, "tools/call", create("after"));
    expect(await raw.answer()).toMatchObject({ id: 2, result: { structuredContent: { entities: [entity("after")] } } });
  });

  it("a client killed in the middle: what was acknowledged stands, and the server ends", async () => {
    const file = temporaryFile();
    const raw = new Raw(file);
    await raw.hello();
    raw.request(1, "tools/call", create("acknowledged"));
    await raw.answer();
    raw.request(2, "tools/call", { name: "begin", arguments: {} });
    await raw.answer();
    // As the system does with the pipes of one that is killed, in the middle of a message.
    raw.child.stdin.end('{"jsonrpc":"2.0","id":3,"method":"tools/ca');
    raw.child.stdout.destroy();
    const [code] = await once(raw.child, "exit");
    expect(code).toBe(0);
    expect((await graphIn(file)).entities).toEqual([entity("acknowledged")]);
  });

  it("calls that were sent before the end of the input are answered", async () => {
    const raw = new Raw(temporaryFile());
    await raw.hello();
    for (let id = 1; id <= 5; id += 1) raw.request(id, "tools/call", create(`e${id}`));
    raw.child.stdin.end();
    const ids = new Set<unknown>();
    for (let id = 1; id <= 5; id += 1) ids.add((await raw.answer())["id"]);
    expect(ids).toEqual(new Set([1, 2, 3, 4, 5]));
    const [code] = await once(raw.child, "exit");
    expect(code).toBe(0);
  });

  it("reads of resources that were sent before the end of the input are answered", async () => {
    const file = temporaryFile();
    const client = await served(["--file", file]);
    for (let n = 0; n < 5; n += 1) {
      const entities = Array.from({ length: 200 }, (_, m) => entity(`${n}-${m}`, "seen"));
      dataOf(await call(client, "create_entities", { entities }));
    }
    await client.close();
    const raw = new Raw(file);
    await raw.hello();
    raw.request(1, "resources/read", { uri: "memory://knowledge-graph" });
    raw.child.stdin.end();
    expect(await raw.answer()).toMatchObject({ id: 1, result: { contents: [{ mimeType: "application/json" }] } });
    const [code] = await once(raw.child, "exit");
    expect(code).toBe(0);
  });

  it("a server killed between two calls has lost nothing that it acknowledged", async () => {
    const file = temporaryFile();
    const raw = new Raw(file);
    await raw.hello();
    raw.request(1, "tools/call", create("acknowledged"));
    await raw.answer();
    raw.child.kill("SIGKILL");
    await once(raw.child, "exit");
    expect((await graphIn(file)).entities).toEqual([entity("acknowledged")]);
  });

  it("SIGTERM ends it in good order, and nothing but messages went to stdout", async () => {
    const raw = new Raw(temporaryFile());
    await raw.hello();
    raw.child.kill("SIGTERM");
    const [code] = await once(raw.child, "exit");
    expect(code).toBe(0);
    await expect(raw.answer()).rejects.toThrow("the server ended");
  });
});

await describeSpaces("arguments of 1 MB", (make) => {
  it("are kept where they fit into a record in parts, and refused with the reason where not", async () => {
    const participant = await (await make()).join();
    const client = await clientOf(gatewayOf(participant));
    const large = "x".repeat(1_000_000);
    const refused = await call(client, "create_entities", { entities: [entity("large", large)] });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain("at most 262144 are allowed in this space (valueBytes)");
    const many = Array.from({ length: 10 }, (_, n) => `${n}${"y".repeat(100_000)}`);
    const whole = await call(client, "create_entities", { entities: [entity("many", ...many)] });
    expect(whole.isError).toBe(true);
    expect(textOf(whole)).toContain("at most 921600 are allowed in this space (recordBytes)");
    const { transaction } = dataOf(await call(client, "begin"));
    const put = await call(client, "put", { transaction, key: "notes/large", value: large });
    expect(textOf(put)).toContain('value of "notes/large" is 1000002 bytes');
    // The transaction stands, without the write that failed.
    dataOf(await call(client, "put", { transaction, key: "notes/large", value: "short" }));
    dataOf(await call(client, "commit", { transaction }));
    expect(await graphOf(client)).toEqual({ entities: [], relations: [] });
    dataOf(await call(client, "create_entities", { entities: [entity("many", ...many.slice(0, 5))] }));
  });
});

async function embedded(options: GatewayOptions = {}) {
  const space = await EmbeddedSpace.open(temporaryFile());
  const coordinator = createCoordinator(space);
  onTestFinished(() => coordinator.close());
  return gatewayOf({ coordinator, space }, options);
}

describe("transactions", () => {
  it("a call for one that is closed says how it was closed", async () => {
    const client = await clientOf(await embedded());
    const ended: Record<string, string> = {};
    for (const end of ["commit", "abandon"]) {
      const { transaction } = dataOf(await call(client, "begin"));
      await call(client, "put", { transaction, key: "a/b", value: end });
      dataOf(await call(client, end, { transaction }));
      ended[end] = textOf(await call(client, "put", { transaction, key: "a/b", value: 1 }));
      expect(textOf(await call(client, end, { transaction }))).toBe(ended[end]);
    }
    expect(ended["commit"]).toMatch(/^transaction "tx-[0-9a-f]+" has committed at version 0@1; begin another one$/);
    expect(ended["abandon"]).toMatch(/was abandoned; begin another one$/);
    expect(textOf(await call(client, "get", { transaction: "tx-none", key: "a/b" }))).toContain(
      "is none of this session",
    );
    expect(dataOf(await call(client, "get", { key: "a/b" }))).toMatchObject({ value: "commit" });
  });

  it("one that is open too long is abandoned", async () => {
    const client = await clientOf(await embedded({ limits: { transactionTime: 30 } }));
    const { transaction } = dataOf(await call(client, "begin"));
    await vi.waitFor(async () => {
      const result = await call(client, "get", { transaction, key: "a/b" });
      expect(textOf(result)).toContain("was abandoned, because it was open for");
    });
  });

  it("calls of one reply happen in their order: the commit comes last", async () => {
    const client = await clientOf(await embedded());
    const { transaction } = dataOf(await call(client, "begin"));
    const keys = Array.from({ length: 50 }, (_, n) => `many/${n}`);
    const results = await Promise.all([
      call(client, "scan", { transaction, prefix: "many/" }),
      ...keys.map((key) => call(client, "put", { transaction, key, value: 1 })),
      call(client, "commit", { transaction }),
    ]);
    for (const result of results) dataOf(result);
    expect(dataOf(await call(client, "scan", { prefix: "many/" }))["items"]).toHaveLength(50);
  });

  it("wrong arguments are named, and change nothing", async () => {
    const client = await clientOf(await embedded());
    const { transaction } = dataOf(await call(client, "begin"));
    const wrong: [string, object, string][] = [
      ["get", { key: "no-slash" }, 'is not of the form "<partition key>/<rest>"'],
      ["get", { key: "a/b", transaction, asOf: "0@1" }, "asOf does not go with a transaction"],
      ["get", { key: "a/b", asOf: "0@99" }, "this view has come to 0@"],
      ["scan", {}, "a range is prefix alone, or from and to together"],
      ["scan", { prefix: "a/", limit: 0 }, "Input validation error"],
      ["put", { transaction, key: "memory/e/x/n", value: 1 }, "lies in the memory, which its own tools write"],
      ["put", { transaction, key: "a/b" }, "at value"],
      ["defer", { transaction, name: "", arguments: 1 }, "name"],
      ["history", { key: "a/b", before: "x" }, "a version is written such as 0@42"],
      ["begin", { isolation: "repeatable" }, "Input validation error"],
    ];
    for (const [tool, args, reason] of wrong) {
      const result = await call(client, tool, args);
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(reason);
    }
    dataOf(await call(client, "commit", { transaction }));
  });

  it("what one has read is a resource, and who has subscribed learns of a change", async () => {
    const gateway = await embedded();
    const [ada, bob] = [await clientOf(gateway, "ada"), await clientOf(gateway, "bob")];
    const { transaction, resource } = dataOf(await call(ada, "begin"));
    const uri = String(resource);
    await call(ada, "get", { transaction, key: "policy/budget" });
    await call(ada, "scan", { transaction, prefix: "approvals/" });
    await call(ada, "put", { transaction, key: "policy/report", value: 1 });
    const { resources } = await ada.listResources();
    expect(resources.map((each) => each.uri)).toContain(uri);
    const updated = new Promise<string>((resolve) => {
      ada.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    });
    await ada.subscribeResource({ uri });
    const other = dataOf(await call(bob, "begin"))["transaction"];
    await call(bob, "put", { transaction: other, key: "approvals/1", value: true });
    dataOf(await call(bob, "commit", { transaction: other }));
    expect(await updated).toBe(uri);
    const [content] = (await ada.readResource({ uri })).contents;
    expect(JSON.parse(content !== undefined && "text" in content ? content.text : "")).toMatchObject({
      reads: [{ key: "policy/budget" }, { range: { prefix: "approvals/" } }],
      writes: [{ key: "policy/report", kind: "put" }],
      canCommit: false,
      changes: [{ key: "approvals/1", kind: "range", agent: expect.stringMatching(/^bob:/) as string }],
    });
    await expect(bob.readResource({ uri })).rejects.toThrow("is none of this session");
  });

  it("whoever subscribes to one that can no longer commit is told so", async () => {
    const gateway = await embedded();
    const [ada, bob] = [await clientOf(gateway, "ada"), await clientOf(gateway, "bob")];
    const { transaction, resource } = dataOf(await call(ada, "begin"));
    const uri = String(resource);
    await call(ada, "get", { transaction, key: "policy/budget" });
    const other = dataOf(await call(bob, "begin"))["transaction"];
    await call(bob, "put", { transaction: other, key: "policy/budget", value: 1 });
    dataOf(await call(bob, "commit", { transaction: other }));
    await vi.waitFor(async () =>
      expect(dataOf(await call(ada, "get", { transaction, key: "policy/budget" }))).toMatchObject({ canCommit: false }),
    );
    const updated = new Promise<string>((resolve) => {
      ada.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolve(params.uri));
    });
    await ada.subscribeResource({ uri });
    expect(await updated).toBe(uri);
  });

  it("1,000 of ten clients are open at once, and each commits", async () => {
    const gateway = await embedded();
    const clients: Client[] = [];
    for (let n = 0; n < 10; n += 1) clients.push(await clientOf(gateway, `client ${n}`));
    const open = await Promise.all(
      clients.map(async (client) => {
        const transactions: unknown[] = [];
        for (let n = 0; n < 100; n += 1) {
          const { transaction } = dataOf(await call(client, "begin"));
          await call(client, "put", { transaction, key: `many/${String(transaction)}`, value: n });
          transactions.push(transaction);
        }
        return { client, transactions };
      }),
    );
    const [first] = clients;
    if (first === undefined) throw new Error("no client");
    expect(textOf(await call(first, "begin"))).toContain("100 transactions open, which is the limit");
    const other = await clientOf(gateway, "one more");
    expect(textOf(await call(other, "begin"))).toContain("1000 transactions open, which is the limit of all sessions");
    await Promise.all(
      open.map(async ({ client, transactions }) => {
        for (const transaction of transactions) dataOf(await call(client, "commit", { transaction }));
      }),
    );
    const { items } = dataOf(await call(other, "scan", { prefix: "many/", limit: 1_000 }));
    expect(items).toHaveLength(1_000);
  });
});
