import { createServer, type AddressInfo, type Server } from "node:net";
import { createTopic, KafkaConnection, type Log, openKafkaLog } from "@seriatim/log";
import { isFailure } from "@seriatim/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ClusterClient } from "../../libs/log/src/kafka/cluster-client.ts";
import { TopicProducer } from "../../libs/log/src/kafka/producer.ts";
import { availableKind, startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { describeKafka, freshTopic } from "../support/kafka.ts";
import { expectFailure, follow, text, texts } from "./reading.ts";

/** A server that accepts connections and says nothing, or, once closed, a port where nobody listens. */
async function silentServer(): Promise<{ readonly server: Server; readonly address: string }> {
  const server = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function openFresh(connection: KafkaConnection, name: string): Promise<Log> {
  const topic = freshTopic(name);
  await createTopic(connection, topic, { partitions: 1 });
  return openKafkaLog(connection, topic);
}

test.each(["refuses connections", "is silent"])("a broker that %s is reported in time", async (kind) => {
  const { server, address } = await silentServer();
  if (kind === "refuses connections") await new Promise((resolve) => server.close(resolve));
  const connection = new KafkaConnection({ brokers: [address], answerTimeout: 1000 });
  const begun = performance.now();
  const calls = [openKafkaLog(connection, "t"), createTopic(connection, "t", { partitions: 1 })];
  const failures = await Promise.all(calls.map((call) => expectFailure(call, "unavailable")));
  for (const failure of failures) {
    expect(failure.canRetry).toBe(true);
    expect(failure.message).toContain(address);
  }
  expect(performance.now() - begun).toBeLessThan(3000);
  await connection.close();
  server.close();
});

test("a producer that was closed while its broker was away does not connect when it comes back", async () => {
  const { server, address } = await silentServer();
  const port = Number(address.split(":")[1]);
  await new Promise((resolve) => server.close(resolve));
  const connecting = vi.spyOn(ClusterClient, "connect");
  onTestFinished(() => connecting.mockRestore());
  const producer = new TopicProducer(new KafkaConnection({ brokers: [address] }), "t");
  const records = [{ value: Buffer.from("late") }];
  const sending = expectFailure(producer.send(0, { records, bytes: 200 }, performance.now() + 10_000), "unavailable");
  await expect.poll(() => connecting.mock.settledResults.map(({ type }) => type)).toContain("rejected");
  await producer.close();
  let connections = 0;
  const back = createServer(() => (connections += 1));
  await new Promise<void>((resolve) => back.listen(port, "127.0.0.1", resolve));
  await sending;
  expect(connections).toBe(0);
  back.close();
});

/** The run's own broker serves other tests, and may be somebody's: these tests kill one that they start. */
const kind = await availableKind();

await describeKafka("an outage of Kafka", () => {
  let broker: Broker | undefined;
  beforeAll(async () => {
    if (kind !== undefined) broker = await startBroker({ from: kind });
  });
  afterAll(async () => broker?.stop());

  const own = (): Broker => {
    if (broker === undefined) throw new Error("the broker was not started");
    return broker;
  };

  test.skipIf(kind === undefined)("read and append outlive a broker that is killed and comes back", async () => {
    const connection = new KafkaConnection({ brokers: own().brokers });
    const log = await openFresh(connection, "killed");
    const reading = follow(log, [[0, 0]]);
    const acknowledged = new Map<number, string>();
    const append = async (name: string): Promise<void> => {
      acknowledged.set(await log.append(0, texts(name)), name);
    };
    for (let index = 0; index < 20; index += 1) await append(`before ${index}`);
    await reading.records(20);

    const during = Array.from({ length: 200 }, (_, index) => append(`during ${index}`));
    await own().kill();
    during.push(append("while dead"));
    await own().restart();
    await Promise.all(during);
    await append("after");

    const last = Math.max(...acknowledged.keys());
    const seen = new Map<number, string>();
    while (!seen.has(last)) for (const record of await reading.next()) seen.set(record.offset, text(record));
    expect(Math.min(...seen.keys())).toBe(20);
    expect([...seen.keys()]).toEqual([...seen.keys()].toSorted((one, other) => one - other));
    const afterFirst = [...acknowledged].filter(([offset]) => offset >= 20);
    expect(afterFirst.filter(([offset, name]) => seen.get(offset) !== name)).toEqual([]);
    await reading.end();
    await log.close();
    await connection.close();
  });

  test.skipIf(kind === undefined)(
    "without a broker every call fails in its time, and says whether anything may have happened",
    async () => {
      const times = { answerTimeout: 1000, appendTimeout: 1500, readTimeout: 2000 };
      const connection = new KafkaConnection({ brokers: own().brokers, ...times });
      const sending = await openFresh(connection, "sending");
      const fresh = await openFresh(connection, "fresh");
      await sending.append(0, texts("a"));
      const reading = follow(sending, [[0, 0]]);
      await reading.next();
      const waiting = reading.next().catch((error: unknown) => error);
      await own().kill();
      const begun = performance.now();

      await expectFailure(sending.append(0, texts("b")), "unknown_outcome");
      const failure = await expectFailure(fresh.append(0, texts("b")), "unavailable");
      expect(failure.canRetry).toBe(true);
      await expectFailure(fresh.bounds(0), "unavailable");
      expect(await waiting).toSatisfy((error) => isFailure(error, "unavailable"));
      expect(performance.now() - begun).toBeLessThan(8000);

      const queued = fresh.append(0, texts("c"));
      await Promise.all([expectFailure(queued, "closed"), fresh.close()]);
      await sending.close();
      await connection.close();
      await own().restart();
    },
  );
});
