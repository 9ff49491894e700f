import { setTimeout as delay } from "node:timers/promises";
import type { Handlers } from "@seriatim/effects";
import { EffectsWorker } from "@seriatim/effects-worker";
import { isFailure } from "@seriatim/protocol";
import type { Logger } from "pino";
import type { Place } from "../cli/place.ts";
import { withEffects } from "../effects/working.ts";

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
  readonly signal: AbortSignal;
}

/** In ms. */
const firstPause = 250;
const longestPause = 10_000;

/**
 * Calls effects until the signal fires. Once it was ready, a broker that goes away ends nothing: it begins again from
 * what it has stored, for as long as it takes.
 * @throws Failure that trying again does not cure: `log_changed` and its like; whatever the first start fails with.
 */
export async function keepWorking(options: WorkingOptions): Promise<void> {
  const { log, signal, onReady } = options;
  let isReady = false;
  let pause = firstPause;
  while (!signal.aborted) {
    try {
      await begin(options, (name) => {
        log.info({ name, handlers: [...options.handlers.keys()] }, isReady ? "started again" : "started");
        pause = firstPause;
        if (!isReady) onReady(name);
        isReady = true;
      });
    } catch (error) {
      if (signal.aborted) break;
      const passes = isReady && isFailure(error, "unavailable") && error.canRetry;
      if (!passes) {
        log.fatal(isFailure(error) ? { code: error.code, reason: error.message } : { err: error }, "cannot go on");
        throw error;
      }
      log.warn({ reason: error.message, pause }, "log away; beginning again from what is stored");
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(longestPause, pause * 2);
    }
  }
  log.info("stopped");
}

async function begin(options: WorkingOptions, onReady: (name: string) => void): Promise<void> {
  const { place, effectsFile, handlers, partitions, concurrency, grace, log, signal } = options;
  await withEffects(place, effectsFile, async (parts) => {
    const worker = await EffectsWorker.open({
      ...parts,
      handlers,
      ...(partitions === undefined ? {} : { partitions }),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(grace === undefined ? {} : { grace }),
      onUnknownHandler: (alarm) => log.warn(alarm, "effects wait for a handler that is not known here"),
    });
    onReady(worker.name);
    await worker.run(signal);
  });
}
