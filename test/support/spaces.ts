import { randomUUID } from "node:crypto";
import { createCoordinator, type Coordinator, type CoordinatorOptions } from "@seriatim/client";
import { sha256, type Limits } from "@seriatim/protocol";
import { Sequencer } from "@seriatim/sequencer";
import { describe, onTestFinished } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { KafkaLogs, openView } from "../../libs/seriatim/src/kafka-logs.ts";
import { KafkaSpace } from "../../libs/seriatim/src/kafka-space.ts";
import { describeKafka } from "./kafka.ts";
import { temporaryFile } from "./temporary.ts";

/** One participant in a space, as a process of its own would be: nothing is shared with the others but the log. */
export interface Participant {
  readonly coordinator: Coordinator;
  readonly space: EmbeddedSpace | KafkaSpace;
}

/** A fresh space on one of the logs. All that it opens is closed with the test. */
export interface TestSpace {
  join(options?: CoordinatorOptions): Promise<Participant>;
  /** What makes the command line, or `openFrom`, open this space. */
  readonly flags: readonly string[];
}

export type MakeSpace = (limits?: Partial<Limits>) => Promise<TestSpace>;

/** Runs the same tests on an embedded file and on a real Kafka. */
export async function describeSpaces(name: string, body: (make: MakeSpace) => void): Promise<void> {
  describe(`${name}, embedded`, () => body(embedded));
  await describeKafka(`${name}, on Kafka`, (brokers) => body((limits) => onKafka(brokers, limits)));
}

async function embedded(limits: Partial<Limits> = {}): Promise<TestSpace> {
  const path = temporaryFile();
  await (await EmbeddedSpace.open(path, { limits })).close();
  return { join: (options) => joined(() => EmbeddedSpace.open(path), options), flags: ["--file", path] };
}

/** With one sequencer, in this process. */
async function onKafka(brokers: readonly string[], limits: Partial<Limits> = {}): Promise<TestSpace> {
  const space = `cases-${randomUUID()}`;
  await initKafka({ brokers, space, partitions: 2, replication: 1, limits });
  await startSequencer(brokers, space);
  return {
    join: (options) => joined(() => KafkaSpace.open({ brokers, space, view: temporaryFile("view.db") }), options),
    flags: ["--brokers", brokers.join(","), "--space", space, "--view", temporaryFile("view.db")],
  };
}

/** A sequencer on a view of its own, stopped with the test. */
export async function startSequencer(brokers: readonly string[], space: string): Promise<Sequencer> {
  const logs = await KafkaLogs.open({ brokers, space });
  const { file, view } = await openView(temporaryFile("sequencer.db"), logs);
  const { intents, verdicts, codec } = logs;
  const sequencer = await Sequencer.open({ intents, verdicts, codec, view, file, hash: sha256 });
  const stop = new AbortController();
  const running = sequencer.run(stop.signal);
  running.catch(() => undefined);
  onTestFinished(async () => {
    stop.abort();
    await running;
    await logs.close();
    file.close();
  });
  return sequencer;
}

async function joined(
  open: () => Promise<EmbeddedSpace | KafkaSpace>,
  options: CoordinatorOptions = {},
): Promise<Participant> {
  const space = await open();
  const coordinator = createCoordinator(space, options);
  onTestFinished(() => coordinator.close());
  return { coordinator, space };
}

/** Resolves for all when `count` have arrived: everyone reads, then everyone commits. */
export class Barrier {
  readonly #count: number;
  #arrived = 0;
  #open!: () => void;
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  constructor(count: number) {
    this.#count = count;
  }

  /** Later arrivals pass at once. */
  async arrive(): Promise<void> {
    this.#arrived += 1;
    if (this.#arrived >= this.#count) this.#open();
    await this.#opened;
  }
}
