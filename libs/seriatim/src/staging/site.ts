import { pino } from "pino";
import { keepSequencing } from "../service/keep-sequencing.ts";
import { initKafka } from "../kafka-init.ts";
import type { Address } from "./address.ts";
import type { TemporaryFolder } from "./folder.ts";
import type { FilePlace, KafkaPlace } from "./place.ts";

/** A new space for what happens in this process alone. */
export interface Site {
  readonly address: Address;
  end(): Promise<void>;
}

/** On Kafka with a sequencer in this process. @param name of the space, which nobody has used. */
export async function raiseSite(place: FilePlace | KafkaPlace, name: string, folder: TemporaryFolder): Promise<Site> {
  if (place.log === "sqlite")
    return { address: { log: "sqlite", file: folder.file(`${name}.db`) }, end: async () => {} };
  const brokers = [...place.brokers];
  await initKafka({ brokers, space: name, partitions: place.partitions });
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    running = keepSequencing({
      brokers,
      space: name,
      view: folder.file(`${name}.sequencer.db`),
      sharing: { kind: "fixed", partitions: undefined },
      log: pino({ level: "silent" }),
      onReady: () => resolve(),
      signal: stop.signal,
    });
    running.catch(reject);
  });
  return {
    address: { log: "kafka", brokers, space: name, view: folder.file(`${name}.view.db`) },
    end: async () => {
      stop.abort();
      await running;
    },
  };
}
