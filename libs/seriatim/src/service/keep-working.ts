import type { Handlers } from "@seriatim/effects";
import { EffectsStore, EffectsWorker } from "@seriatim/effects-worker";
import { encodeGenesis } from "@seriatim/protocol";
import type { Logger } from "pino";
import type { Place } from "../cli/place.ts";
import { withEffects } from "../effects/working.ts";
import type { WorkerAtWork } from "./effects-metrics.ts";
import { keepGoing } from "./keep-going.ts";

export interface WorkingOptions {
  readonly place: Place;
  /** The file that keeps what was read, for a space on Kafka. */
  readonly effectsFile: string | undefined;
  readonly handlers: Handlers;
  /** All unless given. */
  readonly partitions: readonly number[] | undefined;
  readonly concurrency: number | undefined;
  /** See `WorkerOptions`. */
  readonly grace: number | undefined;
  readonly log: Logger;
  /** Called once, when it works. */
  readonly onReady: (name: string) => void;
  /** Is told which worker works now, and when it ends. */
  readonly onWorker?: (worker: WorkerAtWork | undefined) => void;
  readonly signal: AbortSignal;
}

/** Calls effects until the signal fires; see {@link keepGoing}. */
export async function keepWorking(options: WorkingOptions): Promise<void> {
  const { log, signal, handlers, onReady } = options;
  let wasReady = false;
  await keepGoing({ log, signal, away: "log away; beginning again from what is stored" }, (onStarted) =>
    work(options, (name) => {
      onStarted({ name, handlers: [...handlers.keys()] });
      if (!wasReady) onReady(name);
      wasReady = true;
    }),
  );
}

async function work(options: WorkingOptions, onReady: (name: string) => void): Promise<void> {
  const { place, effectsFile, handlers, partitions, concurrency, grace, log, onWorker, signal } = options;
  await withEffects(place, effectsFile, async (parts) => {
    const worker = await EffectsWorker.open({
      ...parts,
      handlers,
      ...(partitions === undefined ? {} : { partitions }),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(grace === undefined ? {} : { grace }),
      onUnknownHandler: (alarm) => log.warn(alarm, "effects wait for a handler that is not known here"),
    });
    const { file, verdicts, effects, codec } = parts;
    const store = await EffectsStore.open(file, encodeGenesis(codec.genesis));
    onWorker?.({ worker, store, verdicts, effects, handlers });
    onReady(worker.name);
    await worker.run(signal).finally(() => onWorker?.(undefined));
  });
}
