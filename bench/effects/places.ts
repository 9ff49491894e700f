import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Handlers } from "@seriatim/effects";
import { pino } from "pino";
import { connect, open, type Coordinator } from "seriatim";
import type { initKafka } from "../../libs/seriatim/dist/kafka-init.d.ts";
import type { keepSequencing } from "../../libs/seriatim/dist/service/keep-sequencing.d.ts";
import type { keepWorking, WorkingOptions } from "../../libs/seriatim/dist/service/keep-working.d.ts";

/** Inside of the package, for what its public face does not show: services, as the commands run them. */
const inside = (name: string): string => new URL(`../../../libs/seriatim/dist/${name}.js`, import.meta.url).href;
const services = {
  ...((await import(inside("kafka-init"))) as { readonly initKafka: typeof initKafka }),
  ...((await import(inside("service/keep-sequencing"))) as { readonly keepSequencing: typeof keepSequencing }),
  ...((await import(inside("service/keep-working"))) as { readonly keepWorking: typeof keepWorking }),
};

const log = pino({ level: "silent" });
const onReady = (): void => undefined;

/** Where a space is, with what decides it and what calls its effects. */
export interface BenchPlace {
  readonly name: string;
  coordinator(): Promise<Coordinator>;
  /** Lets a worker call effects until the signal fires. */
  work(handlers: Handlers, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export function inFile(folder: string): Promise<BenchPlace> {
  const path = join(folder, `${randomUUID()}.db`);
  return Promise.resolve({
    name: "in a file",
    coordinator: () => open(path),
    work: (handlers, signal) => worker({ kind: "file", path }, undefined, handlers, signal),
    close: () => Promise.resolve(),
  });
}

export async function onKafka(brokers: readonly string[], folder: string): Promise<BenchPlace> {
  const space = `bench-${randomUUID().slice(0, 8)}`;
  const view = join(folder, `${space}.view.db`);
  await services.initKafka({ brokers, space, partitions: 1, replication: 1 });
  const stop = new AbortController();
  const sharing = { kind: "fixed", partitions: undefined } as const;
  const options = { brokers, space, view, sharing, log, onReady, signal: stop.signal };
  const sequencing = services.keepSequencing(options);
  return {
    name: "on Kafka",
    coordinator: () => connect({ brokers, space, view: join(folder, `${space}.agents.db`) }),
    work: (handlers, signal) =>
      worker({ kind: "kafka", brokers, space, view }, join(folder, `${space}.effects.db`), handlers, signal),
    async close() {
      stop.abort();
      await sequencing;
    },
  };
}

function worker(
  place: WorkingOptions["place"],
  effectsFile: string | undefined,
  handlers: Handlers,
  signal: AbortSignal,
): Promise<void> {
  const defaults = { partitions: undefined, concurrency: undefined, grace: undefined };
  return services.keepWorking({ place, effectsFile, handlers, ...defaults, log, onReady, signal });
}
