import { setTimeout as delay } from "node:timers/promises";
import { isFailure } from "@seriatim/protocol";
import { KafkaLogs, openView } from "../kafka-logs.ts";
import { checkPartitions, Sequencing, type Ready, type SequencingOptions } from "./sequencing.ts";

/** In ms. */
const firstPause = 250;
const longestPause = 10_000;

/**
 * Sequences until the signal fires. Once it was ready, a broker that goes away ends nothing: it begins again from the
 * view, for as long as it takes.
 * @throws Defect and Failure that trying again does not cure: `log_changed`, `unknown_rules` and their like; whatever
 *   the first start fails with.
 */
export async function keepSequencing(options: SequencingOptions): Promise<void> {
  const { log, signal, onReady } = options;
  let isReady = false;
  let pause = firstPause;
  while (!signal.aborted) {
    try {
      await sequence(options, (ready) => {
        log.info({ name: ready.name, partitions: ready.partitions }, isReady ? "started again" : "started");
        pause = firstPause;
        if (!isReady) onReady(ready);
        isReady = true;
      });
    } catch (error) {
      if (signal.aborted) break;
      const passes = isReady && isFailure(error, "unavailable") && error.canRetry;
      if (!passes) {
        log.fatal(isFailure(error) ? { code: error.code, reason: error.message } : { err: error }, "cannot go on");
        throw error;
      }
      log.warn({ reason: error.message, pause }, "broker away; beginning again from the view");
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(longestPause, pause * 2);
    }
  }
  log.info("stopped");
}

async function sequence(options: SequencingOptions, onReady: (ready: Ready) => void): Promise<void> {
  const logs = await KafkaLogs.open(options);
  try {
    checkPartitions(logs, options.sharing);
    const { file, view } = await openView(options.view, logs);
    try {
      const { connection, intents, verdicts, codec } = logs;
      await new Sequencing({ ...options, onReady }, { connection, intents, verdicts, codec, file, view }).run();
    } finally {
      file.close();
    }
  } finally {
    await logs.close();
  }
}
