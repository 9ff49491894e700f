/* Agents and sequencers as processes of their own: same verdicts, one history. */
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { hexOf, sha256, type RecordCodec } from "@seriatim/protocol";
import { decide, evolve, initialState } from "@seriatim/sequencer";
import type { Log } from "@seriatim/log";
import { describe, expect, it, onTestFinished } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { KafkaSpace } from "../../libs/seriatim/src/kafka-space.ts";
import { describeKafka } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

const run = promisify(execFile);
const agent = fileURLToPath(new URL("agent.mjs", import.meta.url));
const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));
const agents = ["ada", "ben", "cy", "di"];
const each = 25;

async function runAgents(where: (name: string) => object): Promise<number> {
  const outputs = await Promise.all(
    agents.map((name) => run(process.execPath, [agent, name, String(each), JSON.stringify(where(name))])),
  );
  return outputs.reduce((sum, { stdout }) => sum + Number(stdout), 0);
}

/** The chain hash of a partition after all of its intents, decided here from the start. */
async function replayed(intents: Log, codec: RecordCodec, partition: number): Promise<string> {
  const { end } = await intents.bounds(partition);
  const state = initialState(codec.genesis.limits.window);
  const stop = new AbortController();
  for await (const { records } of intents.read(new Map([[partition, 0]]), { signal: stop.signal })) {
    for (const { offset, time, value } of records) {
      const record = { offset, appendTime: time, bytes: value, digest: sha256(value) };
      evolve(state, decide({ genesis: codec.genesis, codec }, partition, state.head, state, record).verdict);
    }
    if (state.head.position.offset >= end - 1) stop.abort();
  }
  return hexOf(state.head.position.chain);
}

async function expectOneHistory(space: EmbeddedSpace | KafkaSpace): Promise<void> {
  for (let partition = 0; partition < space.genesis.partitions; partition += 1) {
    const { end } = await space.intents.bounds(partition);
    await space.reached({ partition, offset: end - 1 });
    const { chain, offset } = space.view.position(partition);
    expect(offset).toBe(end - 1);
    expect(hexOf(chain)).toBe(await replayed(space.intents, space.codec, partition));
  }
}

function expectSums(space: EmbeddedSpace | KafkaSpace): void {
  const range = { from: "counters/", to: "counters0" } as Parameters<typeof space.view.scan>[0];
  const entries = space.view.scan(range, Number.MAX_SAFE_INTEGER, { limit: 10 });
  const values = Object.fromEntries(
    entries.map(({ key, value }) => [key, JSON.parse(Buffer.from(value).toString()) as number]),
  );
  const sum = [0, 1, 2].reduce((total, index) => total + (values[`counters/${index}`] ?? 0), 0);
  expect(sum).toBe(agents.length * each);
  expect(values["counters/total"]).toBe(agents.length * Math.ceil(each / 2));
}

describe("four processes on one file", () => {
  it("write one history, in which every acknowledged commit stands", async () => {
    const file = temporaryFile();
    expect(await runAgents(() => ({ file }))).toBe(agents.length * each);
    const space = await EmbeddedSpace.open(file);
    onTestFinished(() => space.close());
    await expectOneHistory(space);
    expectSums(space);
  });
});

await describeKafka("four agents and two sequencers, each a process", (brokers) => {
  const startSequencer = async (space: string): Promise<void> => {
    const flags = ["sequencer", "--brokers", brokers.join(","), "--space", space, "--view", temporaryFile("s.db")];
    const child = spawn(process.execPath, [main, ...flags], { stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    });
    await Promise.race([
      once(child.stdout, "data"),
      once(child, "exit").then(() => Promise.reject(new Error("the sequencer ended"))),
    ]);
  };

  it("write one history, in which every acknowledged commit stands", async () => {
    const space = `processes-${randomUUID()}`;
    await initKafka({ brokers, space, partitions: 2, replication: 1 });
    await Promise.all([startSequencer(space), startSequencer(space)]);
    const view = (name: string): object => ({ brokers, space, view: temporaryFile(`${name}.db`) });
    expect(await runAgents(view)).toBe(agents.length * each);
    const opened = await KafkaSpace.open({ brokers, space, view: temporaryFile("last.db") });
    onTestFinished(() => opened.close());
    await expectOneHistory(opened);
    expectSums(opened);
  });

  it("share one view file as well as they use one each", async () => {
    const space = `shared-${randomUUID()}`;
    await initKafka({ brokers, space, partitions: 1, replication: 1 });
    await startSequencer(space);
    const view = temporaryFile("shared.db");
    expect(await runAgents(() => ({ brokers, space, view }))).toBe(agents.length * each);
    const opened = await KafkaSpace.open({ brokers, space, view });
    onTestFinished(() => opened.close());
    await expectOneHistory(opened);
    expectSums(opened);
  });
});
