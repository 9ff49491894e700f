/* What a sequencer exports, and what alerts and the dashboard ask for. */
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Defect, type Verdict } from "@seriatim/protocol";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { serveHealth } from "../../libs/seriatim/src/service/health.ts";
import { createRegistry } from "../../libs/seriatim/src/service/registry.ts";
import { SequencerMetrics } from "../../libs/seriatim/src/service/sequencer-metrics.ts";
import { SequencerService } from "../../libs/seriatim/src/service/sequencer-service.ts";
import { open } from "../../libs/seriatim/src/index.ts";
import { json, start } from "../cli/command.ts";
import { join, makeSpace } from "../faults/spaces.ts";
import { describeKafka } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

const anywhere = { host: "127.0.0.1", port: 0 };
const silent = pino({ level: "silent" });

const refused = { offset: 7, outcome: { kind: "refused", code: "conflict" } } as Verdict;

async function metricsOf(address: string): Promise<string> {
  return (await fetch(`http://${address}/metrics`)).text();
}

describe("a sequencer's metrics", () => {
  const look = {
    partition: 3,
    role: "assigned",
    leading: true,
    intentsLag: 2,
    viewLag: 1,
    undecidedSeconds: 1.5,
    version: 7,
    chain: "ab",
  } as const;

  it("count what it decided, sent and read back", async () => {
    const metrics = new SequencerMetrics(createRegistry("team"), () => Promise.resolve([look]));
    metrics.decided(3, [{ verdict: refused, bytes: Buffer.alloc(0), snapshot: 5 }], 2);
    metrics.sent(3, 4, 1_000);
    metrics.readBack(3, "next", refused);
    metrics.readBack(3, "repeat", refused);
    metrics.readBack(3, "gap", undefined);
    const lines = (await metrics.text()).split("\n");
    for (const line of [
      'seriatim_intents_total{partition="3",space="team"} 1',
      'seriatim_verdicts_total{partition="3",outcome="refused",code="conflict",space="team"} 1',
      'seriatim_repeats_total{partition="3",space="team"} 1',
      'seriatim_gaps_total{partition="3",space="team"} 1',
      'seriatim_divergences_total{space="team"} 0',
      'seriatim_decide_seconds_sum{space="team"} 0.002',
      'seriatim_snapshot_age_offsets_sum{space="team"} 2',
      'seriatim_batch_verdicts_sum{space="team"} 4',
      'seriatim_assigned{partition="3",space="team"} 1',
      'seriatim_leading{partition="3",space="team"} 1',
      'seriatim_intents_lag{partition="3",space="team"} 2',
      'seriatim_view_lag{partition="3",space="team"} 1',
      'seriatim_undecided_age_seconds{partition="3",space="team"} 1.5',
      'seriatim_chain_info{partition="3",version="3@7",chain="ab",space="team"} 1',
    ])
      expect(lines).toContain(line);
  });
});

describe("a health server", () => {
  it("tells sick from unready, and knows no other place", async () => {
    const state: { sickness?: string; unreadiness?: string } = {};
    const metrics = new SequencerMetrics(createRegistry("team"), () => Promise.resolve([]));
    const server = await serveHealth(anywhere, metrics, {
      sickness: () => state.sickness,
      unreadiness: () => state.unreadiness,
    });
    onTestFinished(() => server.close());
    const ask = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`http://${server.address}${path}`);
      return [response.status, await response.text()];
    };
    expect([await ask("/healthz"), await ask("/readyz")]).toEqual([
      [200, "ok\n"],
      [200, "ok\n"],
    ]);
    state.unreadiness = "no broker";
    expect([await ask("/healthz"), await ask("/readyz")]).toEqual([
      [200, "ok\n"],
      [503, "no broker\n"],
    ]);
    state.sickness = "diverged";
    expect([await ask("/healthz"), await ask("/readyz")]).toEqual([
      [503, "diverged\n"],
      [503, "diverged\n"],
    ]);
    expect((await ask("/metrics?x=1"))[0]).toBe(200);
    expect((await ask("/"))[0]).toBe(404);
    await expect(serveHealth(addressOf(server.address), metrics, { ...nothing })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("EADDRINUSE") as string,
    });
  });
});

const nothing = { sickness: () => undefined, unreadiness: () => undefined };

function addressOf(text: string): typeof anywhere {
  const [host = "", port] = text.split(":");
  return { host, port: Number(port) };
}

function operationsFile(name: string): string {
  return readFileSync(new URL(`../../operations/${name}`, import.meta.url), "utf8");
}

/** Every metric that alerts and dashboard name. */
function namesAsked(): Set<string> {
  const alerts = (parse(operationsFile("alerts.yaml")) as { groups: { rules: { expr: string }[] }[] }).groups;
  const panels = (JSON.parse(operationsFile("grafana-dashboard.json")) as { panels: { targets: { expr: string }[] }[] })
    .panels;
  const queries = [
    ...alerts.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  return new Set(queries.flatMap((query) => query.match(/seriatim_\w+/g) ?? []));
}

/** What a service of a space in a file exports once `isThere` holds for it. */
async function exportedBy(args: readonly string[], isThere: (text: string) => boolean): Promise<string> {
  const service = start([...args, "--listen", "127.0.0.1:0"]);
  service.stdout?.resume();
  if (service.stderr === null) throw new Error("the service has no stderr");
  for await (const line of createInterface({ input: service.stderr })) {
    const { address } = json(line);
    if (typeof address !== "string") continue;
    service.stderr.resume();
    return vi.waitFor(async () => {
      const text = await metricsOf(address);
      expect(isThere(text)).toBe(true);
      return text;
    }, waiting);
  }
  throw new Error("the service ended before it listened");
}

const waiting = { timeout: 20_000 };

function namesIn(text: string): Set<string> {
  return new Set(text.match(/^seriatim_\w+/gm));
}

it("the other services export all that alerts and dashboard ask of them", async () => {
  const path = temporaryFile();
  const coordinator = await open(path);
  await coordinator.run({ agent: "a" }, (tx) => {
    tx.put("k/1", 1);
    tx.put("k/2", 1);
    tx.defer("nobody's", {});
  });
  await coordinator.close();
  const http = temporaryFile("http.json");
  writeFileSync(http, JSON.stringify({ notify: { url: "http://127.0.0.1:1/" } }));
  const rules = temporaryFile("rules.json");
  writeFileSync(rules, JSON.stringify({ name: "one", prefix: "k/", max: 1 }));

  const worker = await exportedBy(["effects-worker", "--file", path, "--http", http], (text) =>
    // What was read is stored, and counted, a second later.
    /^seriatim_effects\{state="pending",.*\} 1$/m.test(text),
  );
  expect(worker).toMatch(/^seriatim_effects\{state="done",.*\} 0$/m);
  expect(worker).toMatch(/^seriatim_effects_unhandled\{handler="nobody's",.*\} 1$/m);
  const watch = await exportedBy(["watch", "--file", path, "--invariant", rules], (text) =>
    text.includes("seriatim_invariant_evaluated"),
  );
  expect(watch).toMatch(/^seriatim_invariant_violations\{rule="one",.*\} 1$/m);
  const exported = namesIn(worker + watch);
  const asked = [...namesAsked()].filter((name) => /_(effects|invariant)/.test(name));
  expect(asked.length).toBeGreaterThan(3);
  expect(asked.filter((name) => !exported.has(name))).toEqual([]);
});

await describeKafka("a watched sequencer", (brokers) => {
  it("exports all that alerts and dashboard ask of it", async () => {
    const space = await makeSpace(brokers);
    const service = await SequencerService.listen(space.name, anywhere, silent);
    expect((await fetch(`http://${service.address}/readyz`)).status).toBe(503);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const sharing = { kind: "group", standby: "all" } as const;
    const options = { brokers, space: space.name, view: temporaryFile("v.db"), sharing, log: silent };
    const running = service.run({ ...options, onReady: () => undefined, signal: stop.signal });
    const { coordinator } = await join(space);
    await coordinator.run({ agent: "a" }, (tx) => tx.put("k/1", 1));
    expect((await fetch(`http://${service.address}/readyz`)).status).toBe(200);
    const text = await metricsOf(service.address);
    expect(text).toMatch(/seriatim_verdicts_total\{partition="0",outcome="committed",code="",.*\} 1/);
    const exported = namesIn(text);
    const ofSequencers = [...namesAsked()].filter((name) => !/_(effects|invariant)/.test(name));
    expect(ofSequencers.filter((name) => !exported.has(name))).toEqual([]);
    stop.abort();
    await running;
  });
});

it("a sequencer that diverged goes on being watched, and says that it is sick", async () => {
  const service = await SequencerService.listen("team", anywhere, silent);
  const stop = new AbortController();
  const running = service.watch(stop.signal, () => Promise.reject(new Defect("it diverged")));
  running.catch(() => undefined);
  const health = await fetch(`http://${service.address}/healthz`);
  expect([health.status, await health.text()]).toEqual([503, "it diverged\n"]);
  expect(await metricsOf(service.address)).toContain('seriatim_divergences_total{space="team"} 1');
  stop.abort();
  await expect(running).rejects.toThrow("it diverged");
});
