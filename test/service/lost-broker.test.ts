/* A team's cluster loses each of its brokers in turn, and nobody is started anew. */
import { once } from "node:events";
import kafkajs, { type Admin } from "kafkajs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { KafkaConnection } from "../../libs/log/src/kafka/connection.ts";
import { Fetcher } from "../../libs/log/src/kafka/fetcher.ts";
import { Progress } from "../../libs/log/src/kafka/progress.ts";
import { deferred } from "../../libs/log/src/kafka/waiting.ts";
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

  async function adminOf(): Promise<Admin> {
    const kafka = new kafkajs.Kafka({ brokers: brokers(), logLevel: kafkajs.logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    return admin;
  }

  /** Resolves when all replicas of the space's topics are in sync again. */
  async function inSync(): Promise<void> {
    const admin = await adminOf();
    const least = async (): Promise<number> => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [`${space}.intents`, `${space}.verdicts`] });
      return Math.min(...topics.flatMap((topic) => topic.partitions.map(({ isr }) => isr.length)));
    };
    await expect.poll(() => least().catch(() => 0), { timeout: 60_000 }).toBe(cluster.length);
  }

  it("one that leads a partition no more is not read from", { timeout: 120_000 }, async () => {
    const admin = await adminOf();
    const topic = "moving.intents";
    await admin.createTopics({ topics: [{ topic, replicaAssignment: [{ partition: 0, replicas: [1, 2, 3] }] }] });
    const leader = async (): Promise<number | undefined> =>
      (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]?.partitions[0]?.leader;
    await expect.poll(leader, { timeout: 60_000 }).toBe(1);
    const connection = new KafkaConnection({ brokers: brokers() });
    const alive = deferred<void>();
    const events = { offer: async () => true, alive: () => alive.resolve() };
    const fetcher = new Fetcher(connection, topic, new Progress(new Map([[0, 0]])), events);
    const end = fetcher.run(new AbortController().signal);
    await alive.promise;
    await admin.alterPartitionReassignments({
      topics: [{ topic, partitionAssignment: [{ partition: 0, replicas: [2, 3, 1] }] }],
    });
    await expect.poll(leader, { timeout: 60_000 }).toBe(2);
    expect(await end).toEqual({ kind: "moved" });
    await fetcher.release();
    await connection.close();
  });

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
