import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { createCoordinator, type CoordinatorOptions } from "@seriatim/client";
import type { KafkaOptions } from "@seriatim/log";
import type { Limits } from "@seriatim/protocol";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import { keepSequencing } from "../../libs/seriatim/src/service/keep-sequencing.ts";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { KafkaSpace, type ConnectOptions } from "../../libs/seriatim/src/kafka-space.ts";
import type { Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";

export interface MadeSpace {
  readonly name: string;
  readonly brokers: readonly string[];
}

export async function makeSpace(
  brokers: readonly string[],
  options: { readonly partitions?: number; readonly limits?: Partial<Limits> } = {},
): Promise<MadeSpace> {
  const name = `faults-${randomUUID().slice(0, 8)}`;
  const { partitions = 1, limits = {} } = options;
  await initKafka({ brokers, space: name, partitions, replication: 1, limits });
  return { name, brokers };
}

export interface Sequencing {
  readonly view: string;
  /** Resolves once it has logged a line with this message, which it may have done before. */
  logged(message: string): Promise<void>;
  /** Resolves when it was stopped, rejects with what it could not go on after. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

type SequenceOptions = Partial<KafkaOptions> & { readonly view?: string };

/** What the command `seriatim sequencer` runs. Resolves when it is ready; it stops with the test. */
export async function sequence(space: MadeSpace, options: SequenceOptions = {}): Promise<Sequencing> {
  const { view = temporaryFile("sequencer.db"), ...others } = options;
  const lines = new Lines();
  const stop = new AbortController();
  const sharing = { kind: "fixed", partitions: undefined } as const;
  const where = { brokers: space.brokers, space: space.name, view, sharing, ...others };
  const log = pino(lines.stream);
  const running = keepSequencing({ ...where, log, onReady: () => undefined, signal: stop.signal });
  running.catch(() => undefined);
  const end = async (): Promise<void> => {
    stop.abort();
    await running.catch(() => undefined);
  };
  onTestFinished(end);
  await Promise.race([lines.include("started"), running]);
  return { view, running, stop: end, logged: (message) => lines.include(message) };
}

/** A client with a view of its own, closed with the test. */
export async function join(
  space: MadeSpace,
  options: Partial<Omit<ConnectOptions, "space">> & CoordinatorOptions = {},
): Promise<Participant> {
  const view = options.view ?? temporaryFile("view.db");
  const opened = await KafkaSpace.open({ brokers: space.brokers, ...options, space: space.name, view });
  const coordinator = createCoordinator(opened, options);
  onTestFinished(() => coordinator.close());
  return { coordinator, space: opened };
}

/** Resolves when the participant's view holds all that stands in the log now. */
export async function caughtUp({ space }: Participant): Promise<void> {
  for (let partition = 0; partition < space.genesis.partitions; partition += 1) {
    const { end } = await space.intents.bounds(partition);
    await space.reached({ partition, offset: end - 1 });
  }
}

/** The JSON lines of a log. */
class Lines {
  readonly stream = new PassThrough();
  #text = "";

  constructor() {
    this.stream.on("data", (data: Buffer) => (this.#text += data.toString()));
  }

  async include(message: string): Promise<void> {
    while (!this.#text.includes(`"msg":${JSON.stringify(message)}`)) await once(this.stream, "data");
  }
}
