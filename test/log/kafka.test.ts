import { createTopic, KafkaConnection, type Log, openKafkaLog } from "@seriatim/log";
import { expect, test, afterAll, beforeAll } from "vitest";
import { Kafka, logLevel, type Admin } from "kafkajs";
import { ClusterClient } from "../../libs/log/src/kafka/cluster-client.ts";
import { crc32c } from "../../libs/log/src/kafka/crc32c.ts";
import { produce } from "../../libs/log/src/kafka/produce-request.ts";
import { encodeBatch } from "../../libs/log/src/kafka/record-batch.ts";
import { describeKafka, freshTopic } from "../support/kafka.ts";
import { describeLog } from "./conformance.ts";
import { expectFailure, follow, text, texts } from "./reading.ts";

/** A batch of one short record, in Snappy, which kafkajs cannot read: its length, and all of it as one literal. */
function packed(value: string): Buffer {
  const plain = encodeBatch([{ value: Buffer.from(value) }], Date.now(), 200);
  const records = plain.subarray(61);
  const batch = Buffer.concat([
    plain.subarray(0, 61),
    Buffer.from([records.length, (records.length - 1) << 2]),
    records,
  ]);
  batch.writeInt32BE(batch.length - 12, 8);
  batch.writeInt16BE(2, 21);
  batch.writeUInt32BE(crc32c(batch, 21, batch.length), 17);
  return batch;
}

await describeKafka("a Kafka topic", (brokers) => {
  let connection: KafkaConnection;
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  let admin: Admin;
  beforeAll(async () => {
    connection = new KafkaConnection({ brokers });
    admin = kafka.admin();
    await admin.connect();
  });
  afterAll(async () => {
    await admin.disconnect();
    await connection.close();
  });

  const openFresh = async (name: string, partitions = 1): Promise<Log> => {
    const topic = freshTopic(name);
    await createTopic(connection, topic, { partitions });
    return openKafkaLog(connection, topic);
  };

  describeLog("kafka", async () => {
    const topic = freshTopic("conformance");
    await createTopic(connection, topic, { partitions: 3 });
    const logs: Log[] = [];
    const open = async (): Promise<Log> => {
      await logs.at(-1)?.close();
      const log = await openKafkaLog(connection, topic);
      logs.push(log);
      return log;
    };
    return {
      log: await open(),
      reopen: open,
      dispose: async () => {
        await logs.at(-1)?.close();
        await admin.deleteTopics({ topics: [topic] });
      },
    };
  });

  test("is written and read while the first of several brokers is away", async () => {
    // Nothing listens on port 1.
    const halved = new KafkaConnection({ brokers: ["127.0.0.1:1", ...brokers] });
    const topic = freshTopic("halved");
    await createTopic(halved, topic, { partitions: 1 });
    const log = await openKafkaLog(halved, topic);
    expect(await log.append(0, [{ value: Buffer.from("here") }])).toBe(0);
    const batches = log.read(new Map([[0, 0]]), { signal: new AbortController().signal });
    for await (const { records } of batches) {
      expect(records.map(text)).toEqual(["here"]);
      break;
    }
    await log.close();
    await halved.close();
  });

  test("ends where it ends while somebody else's transaction is open on it", async () => {
    const log = await openFresh("transaction");
    const transactionalId = freshTopic("foreign");
    const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic: log.name, messages: [{ value: "foreign" }] });
    await log.append(0, texts("own", "next"));
    expect(await log.bounds(0)).toEqual({ start: 0, end: 3 });
    await transaction.commit();
    await producer.disconnect();
    await log.close();
  });

  test("is created once when two create it at once", async () => {
    const topic = freshTopic("twice");
    const created = await Promise.all([1, 2, 3].map(() => createTopic(connection, topic, { partitions: 2 })));
    expect(created.filter(Boolean)).toHaveLength(1);
    const log = await openKafkaLog(connection, topic);
    expect(log.partitions).toBe(2);
    await log.close();
  });

  test("that the cluster cannot make is a bad argument", async () => {
    const asking = createTopic(connection, freshTopic("wide"), { partitions: 1, replicationFactor: 99 });
    const failure = await expectFailure(asking, "invalid_argument");
    expect(failure.message).toContain("INVALID_REPLICATION_FACTOR");
  });

  test("that is missing is no space", async () => {
    const failure = await expectFailure(openKafkaLog(connection, freshTopic("missing")), "not_a_space");
    expect(failure.message).toContain("seriatim init");
  });

  test("with other settings is refused, with what to change", async () => {
    const topic = freshTopic("settings");
    const configEntries = [
      { name: "cleanup.policy", value: "compact" },
      { name: "retention.ms", value: "-1" },
    ];
    await admin.createTopics({ topics: [{ topic, configEntries }] });
    const failure = await expectFailure(openKafkaLog(connection, topic), "topic_settings");
    expect(failure.canRetry).toBe(false);
    for (const part of [topic, "cleanup.policy is compact, must be delete", "kafka-configs.sh", "=LogAppendTime"]) {
      expect(failure.message).toContain(part);
    }
    expect(failure.message).not.toContain("retention.ms");
  });

  test("refuses a record above the limit by itself, and takes what is just below it", async () => {
    const log = await openFresh("large");
    const failure = await expectFailure(log.append(0, [{ value: new Uint8Array(2_097_152) }]), "invalid_argument");
    expect(failure.message).toContain("max.message.bytes");
    await log.append(0, [{ value: new Uint8Array(2_096_900) }, ...texts("after")]);
    const reading = follow(log, [[0, 0]]);
    expect((await reading.records(2)).map(({ value }) => value.length)).toEqual([2_096_900, 5]);
    await reading.end();
    await log.close();
  });

  test("is read whatever a foreign producer has packed its records with", async () => {
    const log = await openFresh("packed");
    const client = await ClusterClient.connect(connection.kafka, connection.clientId);
    await client.cluster.addTargetTopic(log.name);
    const nodeId = client.leaders(log.name, [0])[0]?.[0] ?? "";
    const broker = await client.cluster.findBroker({ nodeId });
    const sent = { topic: log.name, partition: 0, batch: packed("foreign"), timeout: 5_000 };
    expect(await produce(broker, sent)).toBe(0);
    await log.append(0, texts("own"));
    const reading = follow(log, [[0, 0]]);
    expect((await reading.records(2)).map(text)).toEqual(["foreign", "own"]);
    await reading.end();
    await client.disconnect();
    await log.close();
  });

  test("takes an append that is larger than a send, in order", async () => {
    const log = await openFresh("many");
    const records = Array.from({ length: 40 }, (_, index) => ({ value: new Uint8Array(100_000).fill(index) }));
    expect(await log.append(0, records)).toBe(0);
    const reading = follow(log, [[0, 0]]);
    expect((await reading.records(40)).map(({ value }) => value[0])).toEqual(records.map(({ value }) => value[0]));
    await reading.end();
    await log.close();
  });

  test("cut below a position: the read finds that the log changed", async () => {
    const log = await openFresh("cut");
    await log.append(0, texts("a", "b", "c"));
    // kafkajs deletes only in topics whose leaders it has looked up before.
    await admin.fetchTopicOffsets(log.name);
    await admin.deleteTopicRecords({ topic: log.name, partitions: [{ partition: 0, offset: "2" }] });
    expect(await log.bounds(0)).toEqual({ start: 2, end: 3 });
    const failure = await expectFailure(follow(log, [[0, 0]]).next(), "log_changed");
    expect(failure.message).toContain("offset 0, but holds 2 to 3");
    const reading = follow(log, [[0, 2]]);
    expect((await reading.next()).map(text)).toEqual(["c"]);
    await reading.end();
    await log.close();
  });

  test("recreated under a reader: the read finds that the log changed", async () => {
    const log = await openFresh("recreated");
    await log.append(0, texts("a", "b", "c"));
    const reading = follow(log, [[0, 1]]);
    await reading.next();
    const failing = expectFailure(reading.next(), "log_changed");
    await admin.deleteTopics({ topics: [log.name] });
    await createTopic(connection, log.name, { partitions: 1 });
    await failing;
    await log.close();
  });

  test("deleted under a reader: the read finds that the log is gone", async () => {
    const log = await openFresh("deleted");
    await log.append(0, texts("a"));
    const reading = follow(log, [[0, 0]]);
    await reading.next();
    const failing = expectFailure(reading.next(), "log_changed");
    await admin.deleteTopics({ topics: [log.name] });
    await failing;
    await expectFailure(log.bounds(0), "log_changed");
    await log.close();
  });

  test("control records and records of aborted transactions hold nobody up", async () => {
    const log = await openFresh("transactions");
    const producer = kafka.producer({
      transactionalId: freshTopic("id"),
      idempotent: true,
      maxInFlightRequests: 1,
    });
    await producer.connect();
    for (const [value, end] of [
      ["kept", "commit"],
      ["dropped", "abort"],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic: log.name, messages: [{ value, partition: 0 }] });
      await transaction[end]();
    }
    await producer.disconnect();
    const last = await log.append(0, texts("last"));
    const reading = follow(log, [[0, 0]]);
    expect((await reading.records(3)).map(text)).toEqual(["kept", "dropped", "last"]);
    await reading.end();
    // The offset just below is a control record alone.
    const fromControl = follow(log, [[0, last - 1]]);
    expect((await fromControl.next()).map(text)).toEqual(["last"]);
    await fromControl.end();
    await log.close();
  });
});
