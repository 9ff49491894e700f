/* Two agents that decide over MCP: each level keeps what it promises, and a refusal says who was faster. */
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { isolations, type Isolation } from "@seriatim/protocol";
import { describe, expect, it, vi } from "vitest";
import { describeSpaces, type MakeSpace } from "../support/spaces.ts";
import { call, clientOf, dataOf, gatewayOf, textOf } from "./clients.ts";

/** An agent with one transaction open. */
class Agent {
  readonly #client: Client;
  readonly #transaction: string;

  private constructor(client: Client, transaction: string) {
    this.#client = client;
    this.#transaction = transaction;
  }

  static async begin(client: Client, isolation: Isolation): Promise<Agent> {
    const { transaction } = dataOf(await call(client, "begin", { isolation }));
    return new Agent(client, String(transaction));
  }

  async do(tool: string, args: object = {}): Promise<Record<string, unknown>> {
    return dataOf(await call(this.#client, tool, { transaction: this.#transaction, ...args }));
  }

  async get(key: string): Promise<unknown> {
    return (await this.do("get", { key }))["value"];
  }

  async keys(prefix: string): Promise<number> {
    return ((await this.do("scan", { prefix }))["items"] as unknown[]).length;
  }

  put(key: string, value: unknown): Promise<unknown> {
    return this.do("put", { key, value });
  }

  commit(): Promise<CallToolResult> {
    return call(this.#client, "commit", { transaction: this.#transaction });
  }
}

/** Two clients, each of a gateway of its own, as two programs would be; the first has written what is there before. */
async function two(make: MakeSpace, before: Readonly<Record<string, unknown>> = {}) {
  const space = await make();
  const [one, other] = await Promise.all([space.join(), space.join()]);
  await one.coordinator.run({ agent: "before" }, (tx) => {
    for (const [key, value] of Object.entries(before)) tx.put(key, value);
  });
  await reachEachOther(one, other);
  const clients = [
    await clientOf(gatewayOf(one, { agent: "alpha" })),
    await clientOf(gatewayOf(other, { agent: "beta" })),
  ] as const;
  return { clients, one, other };
}

type Joined = Awaited<ReturnType<Awaited<ReturnType<MakeSpace>>["join"]>>;

async function reachEachOther(one: Joined, other: Joined): Promise<void> {
  for (const version of one.coordinator.positions()) await other.space.reached(version, { timeout: 30_000 });
}

const outcomes = (results: readonly CallToolResult[]) =>
  results.map(({ structuredContent }) => structuredContent?.["outcome"]);

const bothCommit = ["committed", "committed"];
const oneCommits = ["committed", "refused"];

/** Both have read before either commits; then one after the other. */
async function race(
  clients: readonly [Client, Client],
  isolation: Isolation,
  act: (agent: Agent, name: string) => Promise<void>,
): Promise<readonly CallToolResult[]> {
  const agents = [await Agent.begin(clients[0], isolation), await Agent.begin(clients[1], isolation)] as const;
  await act(agents[0], "alpha");
  await act(agents[1], "beta");
  return [await agents[0].commit(), await agents[1].commit()];
}

const onlyNoneAllows: Readonly<Record<Isolation, string[]>> = {
  none: bothCommit,
  snapshot: oneCommits,
  serializable: oneCommits,
};
const onlySerializablePrevents: Readonly<Record<Isolation, string[]>> = {
  none: bothCommit,
  snapshot: bothCommit,
  serializable: oneCommits,
};

await describeSpaces("over MCP", (make) => {
  describe.each(isolations)("at level %s", (isolation) => {
    it("a lost update", async () => {
      const { clients } = await two(make, { "counters/a": 1 });
      const results = await race(clients, isolation, async (agent) => {
        const value = Number(await agent.get("counters/a"));
        await agent.put("counters/a", value + 1);
      });
      expect(outcomes(results)).toEqual(onlyNoneAllows[isolation]);
    });

    it("write skew", async () => {
      const { clients } = await two(make, { "oncall/alpha": true, "oncall/beta": true });
      const results = await race(clients, isolation, async (agent, name) => {
        const on = [await agent.get("oncall/alpha"), await agent.get("oncall/beta")];
        expect(on).toEqual([true, true]);
        await agent.put(`oncall/${name}`, false);
      });
      expect(outcomes(results)).toEqual(onlySerializablePrevents[isolation]);
    });

    it("a phantom: at most two credits", async () => {
      const { clients } = await two(make, { "credits/customer/1": {} });
      const results = await race(clients, isolation, async (agent, name) => {
        expect(await agent.keys("credits/customer/")).toBe(1);
        await agent.put(`credits/customer/${name}`, {});
      });
      expect(outcomes(results)).toEqual(onlySerializablePrevents[isolation]);
    });

    it("a stale read: what one rests on changes, and it writes elsewhere", async () => {
      const { clients } = await two(make, { "policy/budget": 100 });
      const results = await race(clients, isolation, async (agent, name) => {
        await agent.get("policy/budget");
        await agent.put(name === "alpha" ? "policy/budget" : "policy/approval", 1);
      });
      expect(outcomes(results)).toEqual(onlySerializablePrevents[isolation]);
    });

    it("an inconsistent read: totals in the middle of a move", async () => {
      const { clients, one, other } = await two(make, { "accounts/a": 100, "accounts/b": 0 });
      const reader = await Agent.begin(clients[1], isolation);
      const first = Number(await reader.get("accounts/a"));
      const mover = await Agent.begin(clients[0], isolation);
      await mover.put("accounts/a", 0);
      await mover.put("accounts/b", 100);
      expect(outcomes([await mover.commit()])).toEqual(["committed"]);
      await reachEachOther(one, other);
      const total = first + Number(await reader.get("accounts/b"));
      expect(total).toBe(isolation === "none" ? 200 : 100);
    });

    it("a double claim by eight", async () => {
      const { clients } = await two(make, { "tasks/1": "free" });
      const agents = await Promise.all(
        Array.from({ length: 8 }, (_, n) => Agent.begin(clients[n % 2] ?? clients[0], isolation)),
      );
      for (const [n, agent] of agents.entries()) {
        expect(await agent.get("tasks/1")).toBe("free");
        expect(await agent.keys("tasks/claims/")).toBe(0);
        await agent.put(`tasks/claims/${n}`, n);
      }
      const results = await Promise.all(agents.map((agent) => agent.commit()));
      const winners = outcomes(results).filter((outcome) => outcome === "committed");
      expect(winners).toHaveLength(isolation === "serializable" ? 1 : 8);
    });
  });

  it("a refusal names the other agent, its version and what to do, and the transaction is over", async () => {
    const { clients } = await two(make, { "policy/budget": 100 });
    const [alpha, beta] = clients;
    const { transaction } = dataOf(await call(beta, "begin"));
    await call(beta, "get", { transaction, key: "policy/budget" });
    const faster = await Agent.begin(alpha, "serializable");
    await faster.put("policy/budget", 30);
    const { version } = dataOf(await faster.commit());
    const refused = await call(beta, "commit", { transaction });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('"policy/budget" was changed by agent "alpha"');
    expect(textOf(refused)).toContain("it now holds 30. Read it again and decide anew.");
    expect(refused.structuredContent).toMatchObject({
      outcome: "refused",
      refusal: {
        code: "conflict",
        advice: "read_again",
        conflicts: [{ kind: "point", key: "policy/budget", agent: "alpha", version, now: { value: 30 } }],
      },
    });
    const again = await call(beta, "commit", { transaction });
    expect(again.isError).toBe(true);
    expect(textOf(again)).toContain(`${JSON.stringify(transaction)} was refused at its commit; begin another one`);
  });

  it("changes tells what has changed before the commit does, and every answer warns", async () => {
    const { clients, one, other } = await two(make, { "policy/budget": 100, "policy/rule": "a" });
    const [alpha, beta] = clients;
    const reader = await Agent.begin(beta, "serializable");
    await reader.get("policy/budget");
    await reader.keys("policy/approvals/");
    expect(await reader.do("changes")).toMatchObject({ canCommit: true, changes: [] });
    const writer = await Agent.begin(alpha, "serializable");
    await writer.put("policy/approvals/1", "yes");
    await writer.put("policy/budget", 30);
    await writer.put("policy/rule", "b");
    await writer.commit();
    await reachEachOther(one, other);
    expect(await reader.do("changes")).toMatchObject({
      canCommit: false,
      changes: [
        { kind: "point", key: "policy/budget", agent: "alpha", now: { value: 30 } },
        { kind: "range", key: "policy/approvals/1", agent: "alpha", now: { value: "yes" } },
      ],
    });
    await vi.waitFor(async () => {
      const warned = await reader.do("get", { key: "policy/rule" });
      expect(warned).toMatchObject({ value: "a", canCommit: false });
      expect(warned["because"]).toContain('by agent "alpha"');
    });
  });

  it("reads at a version and at a time, the history, a delete and an effect", async () => {
    const { clients } = await two(make);
    const [alpha] = clients;
    const versions: string[] = [];
    for (const value of [1, 2]) {
      const writer = await Agent.begin(alpha, "serializable");
      await writer.put("notes/a", value);
      if (value === 2) await writer.do("defer", { name: "notify", arguments: { value }, lane: "mail" });
      versions.push(String(dataOf(await writer.commit())["version"]));
    }
    const remover = await Agent.begin(alpha, "serializable");
    await remover.do("delete", { key: "notes/a" });
    expect(await remover.do("get", { key: "notes/a" })).toMatchObject({ found: false });
    await remover.commit();
    const [asOf] = versions;
    expect(dataOf(await call(alpha, "get", { key: "notes/a", asOf }))).toMatchObject({ value: 1, version: asOf });
    expect(dataOf(await call(alpha, "scan", { prefix: "notes/", asOf }))).toEqual({
      items: [{ key: "notes/a", value: 1, version: asOf }],
      complete: true,
    });
    const early = { key: "notes/a", asOf: "2001-01-01T00:00:00Z" };
    expect(dataOf(await call(alpha, "get", early))).toMatchObject({ found: false });
    expect(dataOf(await call(alpha, "get", { key: "notes/a" }))).toEqual({ key: "notes/a", found: false });
    const { writes } = dataOf(await call(alpha, "history", { key: "notes/a" }));
    expect(writes).toMatchObject([
      { deleted: true, agent: "alpha" },
      { value: 2, version: versions[1] },
      { value: 1, version: versions[0] },
    ]);
  });
});
