import { createCoordinator, type Coordinator, type CoordinatorOptions } from "@seriatim/client";
import { EmbeddedSpace, type OpenOptions } from "./embedded-space.ts";
import { startEmbeddedWorker, type EmbeddedWorkerOptions } from "./effects/embedded-worker.ts";
import { KafkaSpace, type ConnectOptions } from "./kafka-space.ts";

/**
 * Opens the space in an SQLite file, and makes it when there is none: no broker, no server. Any number of processes of
 * one machine may open the same file. It has one partition, and a transaction may touch any number of partition keys.
 *
 * @example const coordinator = await open("state.db");
 * @throws Failure `read_only`, `unreadable`, `not_a_space`, `invalid_argument`, `unknown_rules`, `log_changed`.
 */
export async function open(
  file: string,
  options: OpenOptions & CoordinatorOptions & EmbeddedWorkerOptions = {},
): Promise<Coordinator> {
  const space = await EmbeddedSpace.open(file, options);
  try {
    if (options.handlers !== undefined) await startEmbeddedWorker(space, options.handlers, options);
    return createCoordinator(space, options);
  } catch (error) {
    await space.close();
    throw error;
  }
}

/**
 * Connects to a space on Kafka, which `seriatim init` made and in which a sequencer runs. A transaction touches one
 * partition key.
 *
 * @example const coordinator = await connect({ brokers: ["127.0.0.1:9092"], space: "team", view: "team.view.db" });
 * @throws Failure `unavailable`, `not_a_space`, `other_space`, `topic_settings`, `unknown_rules`, `log_changed`.
 */
export async function connect(options: ConnectOptions & CoordinatorOptions): Promise<Coordinator> {
  return createCoordinator(await KafkaSpace.open(options), options);
}
