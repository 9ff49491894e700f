import { randomUUID } from "node:crypto";
import kafkajs from "kafkajs";

const { Kafka, Partitioners, logLevel } = kafkajs;

export function client(brokers: readonly string[]): InstanceType<typeof Kafka> {
  return new Kafka({ brokers: [...brokers], clientId: "bench", logLevel: logLevel.NOTHING });
}

/** Produces every batch of topic `from` that it consumes to topic `to`, as it is. Runs until the process ends. */
export async function startPipe(brokers: readonly string[], from: string, to: string): Promise<() => Promise<void>> {
  const kafka = client(brokers);
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  const consumer = kafka.consumer({
    groupId: `pipe-${randomUUID()}`,
    readUncommitted: true,
    maxWaitTimeInMs: 100,
    minBytes: 1,
  });
  await Promise.all([producer.connect(), consumer.connect()]);
  await consumer.subscribe({ topic: from, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async (payload) => {
      const { batch } = payload;
      const messages = batch.messages.map(({ value }) => ({ value, partition: batch.partition }));
      for (let at = 0; at < messages.length; at += 1000)
        await producer.send({ topic: to, acks: -1, messages: messages.slice(at, at + 1000) });
      payload.resolveOffset(batch.lastOffset());
      await payload.heartbeat();
    },
  });
  return async () => {
    await consumer.disconnect();
    await producer.disconnect();
  };
}
