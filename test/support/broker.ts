import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { availableKind, startBroker } from "../../tools/kafka/broker.mjs";

const image = "confluentinc/cp-kafka:8.0.0";
const environment = {
  KAFKA_AUTO_CREATE_TOPICS_ENABLE: "false",
  KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: "0",
  KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: "1",
  KAFKA_TRANSACTION_STATE_LOG_NUM_PARTITIONS: "1",
  KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: "1",
};

declare module "vitest" {
  interface ProvidedContext {
    /** Where the setup answers with a {@link BrokerAnswer}. */
    kafkaSetup: string;
  }
}

/** The addresses of the run's one broker, or why there is none. */
export type BrokerAnswer = { readonly brokers: readonly string[] } | { readonly missing: string };

interface Started {
  readonly brokers: readonly string[];
  readonly from: string;
  stop(): Promise<void>;
}

/**
 * Vitest's global setup: one broker for the whole run, started when the first test file asks for it (see kafka.ts), so
 * that runs without Kafka tests do not pay for it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Started | undefined> | undefined;
  let skippedFiles = 0;
  const answer = async (): Promise<BrokerAnswer> => {
    const started = await (starting ??= start());
    if (started !== undefined) return { brokers: started.brokers };
    // With CI set they fail instead, see kafka.ts.
    if ((process.env["CI"] ?? "") === "") skippedFiles += 1;
    return { missing: "set SERIATIM_TEST_BROKERS, start a Docker engine, or install Java 17 and Maven" };
  };
  const server = createServer((_, response) => {
    answer().then(
      (found) => response.end(JSON.stringify(found)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("kafkaSetup", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  return async () => {
    server.closeAllConnections();
    server.close();
    if (skippedFiles > 0) process.stderr.write(`SKIPPED for want of Kafka: the tests of ${skippedFiles} file(s)\n`);
    await (await starting?.catch(() => undefined))?.stop();
  };
}

async function start(): Promise<Started | undefined> {
  const started = await startWhereverPossible();
  if (started !== undefined) process.stderr.write(`Kafka for tests: ${started.brokers.join(", ")}, ${started.from}\n`);
  return started;
}

async function startWhereverPossible(): Promise<Started | undefined> {
  const given = process.env["SERIATIM_TEST_BROKERS"] ?? "";
  if (given !== "") {
    return { brokers: given.split(","), from: "of SERIATIM_TEST_BROKERS", stop: () => Promise.resolve() };
  }
  const container = (await containersRun()) ? await startContainer() : undefined;
  if (container !== undefined) return container;
  if ((await availableKind()) === undefined) return undefined;
  const broker = await startBroker({ from: "jars" });
  return { brokers: broker.brokers, from: "from local jars", stop: () => broker.stop() };
}

async function containersRun(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import("testcontainers");
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

/** Undefined, with a word on stderr, where the engine cannot run it: the image may be out of reach. */
async function startContainer(): Promise<Started | undefined> {
  const { KafkaContainer } = await import("@testcontainers/kafka");
  const starting = new KafkaContainer(image).withEnvironment(environment).start();
  const container = await starting.catch((error: unknown) => {
    process.stderr.write(`${image} did not start (${String(error)}); trying local jars.\n`);
    return undefined;
  });
  if (container === undefined) return undefined;
  const address = `${container.getHost()}:${container.getMappedPort(9093)}`;
  return { brokers: [address], from: `in ${image}`, stop: async () => void (await container.stop()) };
}
