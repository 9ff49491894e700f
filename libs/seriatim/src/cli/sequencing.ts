import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { Failure, isFailure, sha256, spaceName } from "@seriatim/protocol";
import { Sequencer, type PartitionStatus } from "@seriatim/sequencer";
import { KafkaLogs, openView } from "../kafka-logs.ts";

export interface Ready {
  /** The sequencer's own name, as in the headers of its verdicts. */
  readonly name: string;
  readonly space: string;
  readonly partitions: readonly number[];
}

export interface SequencingOptions {
  readonly brokers: readonly string[];
  readonly space: string;
  readonly view: string;
  /** All unless given. */
  readonly partitions: readonly number[] | undefined;
  readonly log: Logger;
  /** Called once, when it can decide. */
  readonly onReady: (ready: Ready) => void;
  readonly signal: AbortSignal;
}

/** In ms. */
const firstPause = 250;
const longestPause = 10_000;

/** How often the sequencer is looked at for what to log, in ms. */
const lookInterval = 200;

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
  const { partitions, log, signal } = options;
  const logs = await KafkaLogs.open(options);
  try {
    checkPartitions(logs, partitions);
    const { file, view } = await openView(options.view, logs);
    try {
      const { intents, verdicts, codec } = logs;
      const parts = { intents, verdicts, view, file, codec, hash: sha256 };
      const sequencer = await Sequencer.open(partitions === undefined ? parts : { ...parts, partitions });
      const watch = new Watch(sequencer, log);
      onReady({
        name: sequencer.name,
        space: spaceName(codec.genesis.space),
        partitions: sequencer.status().map(({ partition }) => partition),
      });
      await sequencer.run(signal).finally(() => watch.stop());
    } finally {
      file.close();
    }
  } finally {
    await logs.close();
  }
}

function checkPartitions({ intents }: KafkaLogs, partitions: readonly number[] | undefined): void {
  const missing = partitions?.filter((partition) => partition >= intents.partitions) ?? [];
  if (missing.length > 0)
    throw new Failure(
      "invalid_argument",
      `--partitions: ${intents.name} has no partition ${missing.join(", ")}; its partitions are numbered from 0 to ${intents.partitions - 1}`,
    );
}

/** Logs what changes in a sequencer's status. */
class Watch {
  readonly #sequencer: Sequencer;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #before = new Map<number, PartitionStatus>();

  constructor(sequencer: Sequencer, log: Logger) {
    this.#sequencer = sequencer;
    this.#log = log;
    this.#timer = setInterval(() => this.#look(), lookInterval).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  #look(): void {
    for (const status of this.#sequencer.status()) {
      this.#compare(status, this.#before.get(status.partition));
      this.#before.set(status.partition, status);
    }
  }

  #compare(now: PartitionStatus, before: PartitionStatus | undefined): void {
    const { partition, leading, pending, gaps, stalls } = now;
    const about = { partition, head: now.head.offset, pending };
    if (leading !== (before?.leading ?? false)) this.#log.info(about, leading ? "leads" : "follows");
    if (stalls > (before?.stalls ?? 0)) this.#log.warn({ ...about, stalls }, "head stalled; sent again from it");
    if (gaps > (before?.gaps ?? 0)) this.#log.warn({ ...about, gaps }, "verdicts lack their predecessor; skipped");
  }
}
