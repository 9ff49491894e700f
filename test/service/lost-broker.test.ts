/* A team's cluster loses each of its brokers in turn, and nobody is started anew. */
import { once } from "node:events";
import kafkajs from "kafkajs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { canUseJars, type Broker } from "../../tools/kafka/broker.mjs";
import { Lines, seriatim, start } from "../cli/command.ts";
import { startCluster } from "../support/cluster.ts";
import { temporaryFile } from "../support/temporary.ts";

const space = "team";

describe.skipIf(!canUseJars())("three brokers", () => {
  let cluster: readonly Broker[] = [];
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(async () => {
    await Promise.all(cluster.map((broker) => broker.stop()));
  });
  const brokers = (): string[] => cluster.flatMap((broker) => broker.brokers);
  const where = (): string[] => ["--brokers", brokers().join(","), "--space", space];

  /** Resolves when all replicas of the space's topics are in sync again. */
  async function inSync(): Promise<void> {
    const kafka = new kafkajs.Kafka({ brokers: brokers(), logLevel: kafkajs.logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    const least = async (): Promise<number> => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [`${space}.intents`, `${space}.verdicts`] });
      return Math.min(...topics.flatMap((topic) => topic.partitions.map(({ isr }) => isr.length)));
    };
    await expect.poll(() => least().catch(() => 0), { timeout: 60_000 }).toBe(cluster.length);
  }

  it("the loss of any one of them is outlived by who reads and appends", { timeout: 400_000 }, async () => {
    await initKafka({ brokers: brokers(), space, partitions: 3, replication: 3 });
    const view = temporaryFile("sequencer.db");
    const sequencer = start(["sequencer", ...where(), "--view", view]);
    const ended = once(sequencer, "exit");
    sequencer.stderr?.resume();
    await new Lines(sequencer).next();
    const client = temporaryFile("client.db");
    for (const [index, broker] of cluster.entries()) {
      await inSync();
      await broker.kill();
      for (const key of ["a/x", "b/x", "c/x", "d/x"]) {
        const put = ["put", ...where(), "--view", client, "--wait", "60", key, `${index}`];
        // One that begins while leaders are being elected may be told to try again.
        await expect.poll(async () => (await seriatim(put)).code, { timeout: 90_000 }).toBe(0);
      }
      await broker.restart();
    }
    sequencer.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});
