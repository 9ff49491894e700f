import { randomUUID } from "node:crypto";
import { describe, inject } from "vitest";
import type { BrokerAnswer } from "./broker.ts";

/**
 * Describes tests that need a real broker, and gives them its addresses: the run's own, see broker.ts. Where no broker
 * can be had they are skipped and say so; with CI set they fail instead. Await it at the top of a test file.
 */
export async function describeKafka(name: string, body: (brokers: readonly string[]) => void): Promise<void> {
  const answer = await askForBroker();
  if ("brokers" in answer) {
    describe(name, () => body(answer.brokers));
    return;
  }
  if ((process.env["CI"] ?? "") !== "") {
    throw new Error(`With CI set ${name} must not be skipped, but there is no Kafka: ${answer.missing}.`);
  }
  describe.skip(`${name} (skipped, no Kafka: ${answer.missing})`, () => body([]));
}

async function askForBroker(): Promise<BrokerAnswer> {
  const response = await fetch(inject("kafkaSetup"));
  if (!response.ok) throw new Error(`The broker for tests did not start: ${await response.text()}`);
  return (await response.json()) as BrokerAnswer;
}

/** A topic name that no other test uses. */
export function freshTopic(name: string): string {
  return `${name}-${randomUUID().slice(0, 8)}`;
}
