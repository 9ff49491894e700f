import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Handlers } from "@seriatim/effects";
import type { Log, SqliteFile } from "@seriatim/log";
import { createEffectsCodec, encodeGenesis, Failure, type Hash, type RecordCodec } from "@seriatim/protocol";
import { PartitionWorker } from "./partition-worker.ts";
import { Slots } from "./slots.ts";
import type { WorkerStatus } from "./status.ts";
import { EffectsStore } from "./store/effects-store.ts";
import { processTiming, type Timing } from "./timing.ts";
import { verifyLogs } from "./verify.ts";

export interface WorkerOptions {
  readonly verdicts: Log;
  readonly effects: Log;
  /** Appends a record to the intents log: the expire of a hold whose lease has run out. */
  readonly append: (partition: number, record: Uint8Array) => Promise<unknown>;
  /** Where the fold of both logs is kept; other workers may keep it there too. */
  readonly file: SqliteFile;
  readonly codec: RecordCodec;
  readonly hash: Hash;
  readonly handlers: Handlers;
  /** The partitions to work on; all unless given. */
  readonly partitions?: readonly number[];
  /** How many calls are made at once. Default 64. */
  readonly concurrency?: number;
  /** How long after a call's time-out a claim is taken over from a worker that has said nothing, in ms. Default 5,000. */
  readonly grace?: number;
  /** Unique among all workers that there ever were. Default: a random one. */
  readonly name?: string;
  /** Called when an effect is next whose handler this worker does not know; at most once a minute for each. */
  readonly onUnknownHandler?: (alarm: HandlerAlarm) => void;
  /** Default: the process's clock, timers and chance. */
  readonly timing?: Timing;
}

/** Effects wait for a handler that this worker does not know. */
export interface HandlerAlarm {
  readonly partition: number;
  /** The handler's name. */
  readonly handler: string;
  /** How many effects of it are still to be done in the partition. */
  readonly count: number;
}

/** How long calls may take to end after a stop, in ms: those that may be made again, and all others. */
const patience = { again: 2_000, once: 10_000 };

/** A minute, with room for timers that fire too early. */
const alarmInterval = 59_900;

/**
 * Calls what the intents of a space asked for, once their verdicts say that they committed. Any number of workers may do
 * so for the same partitions: an effect is called by the one whose claim stands first in the log.
 */
export class EffectsWorker {
  readonly name: string;
  readonly #options: WorkerOptions;
  readonly #timing: Timing;
  readonly #slots: Slots;
  readonly #partitions: ReadonlyMap<number, PartitionWorker>;
  readonly #alarmed = new Map<string, number>();

  private constructor(options: WorkerOptions, store: EffectsStore, partitions: readonly number[]) {
    const { codec, concurrency = 64, grace = 5_000, timing = processTiming, name = randomUUID() } = options;
    this.name = name;
    this.#options = options;
    this.#timing = timing;
    this.#slots = new Slots(concurrency);
    const { genesis } = codec;
    const shared = {
      ...options,
      space: genesis.space,
      resultBytes: genesis.limits.resultBytes,
      genesis,
      effectsCodec: createEffectsCodec(genesis),
      worker: name,
      slots: this.#slots,
      store,
      grace,
      timing,
    };
    this.#partitions = new Map(
      partitions.map((partition) => {
        const onMissingHandler = (handler: string): void => this.#alarm(partition, handler);
        return [partition, new PartitionWorker(partition, { ...shared, onMissingHandler })];
      }),
    );
  }

  /**
   * Loads what is still to be done, and verifies that the logs are those that it was folded from.
   * @throws Failure `log_changed` when they are not, or the effects log does not begin with the genesis; `other_space`;
   *   `unavailable`.
   */
  static async open(options: WorkerOptions): Promise<EffectsWorker> {
    const { codec, file } = options;
    const { genesis } = codec;
    const partitions = options.partitions ?? Array.from({ length: genesis.partitions }, (_, index) => index);
    const store = await EffectsStore.open(file, encodeGenesis(genesis));
    await verifyLogs({ ...options, store, partitions });
    return new EffectsWorker(options, store, partitions);
  }

  status(): WorkerStatus {
    const open = new Map<string, number>();
    for (const { fold } of this.#partitions.values())
      for (const [handler, count] of fold.openByHandler) open.set(handler, (open.get(handler) ?? 0) + count);
    return { name: this.name, calls: this.#slots.used, open };
  }

  /**
   * Works until `signal` fires; then claims nothing more, and ends when what was under way has ended.
   * @throws Failure `log_changed` or `unavailable` from the logs.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    // Each partition waits for it in several places.
    setMaxListeners(0, stop.signal);
    const halt = (): void => stop.abort();
    const tasks = [this.#windDown(signal, stop), this.#readVerdicts(stop.signal), this.#readEffects(stop.signal)];
    for (const partition of this.#partitions.values())
      tasks.push(partition.act(stop.signal), partition.keep(stop.signal));
    const results = await Promise.allSettled(tasks.map((task) => task.finally(halt)));
    for (const partition of this.#partitions.values()) {
      partition.stop();
      partition.dispatcher.end();
    }
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  /** Resolves when the worker is to end. */
  async #windDown(signal: AbortSignal, ended: AbortController): Promise<void> {
    await new Promise<void>((resolve) => {
      for (const each of [signal, ended.signal]) each.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    const partitions = [...this.#partitions.values()];
    for (const partition of partitions) partition.stop();
    await this.#quiet(patience.again, ended.signal);
    for (const { dispatcher } of partitions) dispatcher.abandon();
    await this.#quiet(patience.once - patience.again, ended.signal);
  }

  /** Resolves when nothing is under way any more, or after `ms`. */
  async #quiet(ms: number, signal: AbortSignal): Promise<void> {
    const until = this.#timing.now() + ms;
    const isQuiet = (): boolean => [...this.#partitions.values()].every((partition) => partition.isQuiet);
    while (!signal.aborted && !isQuiet() && this.#timing.now() < until) await this.#timing.sleep(5, signal);
  }

  async #readVerdicts(signal: AbortSignal): Promise<void> {
    const from = new Map([...this.#partitions].map(([partition, { fold }]) => [partition, fold.position.nextVerdict]));
    for await (const { partition, records } of this.#options.verdicts.read(from, { signal }))
      await this.#of(partition).takeVerdicts(records);
  }

  async #readEffects(signal: AbortSignal): Promise<void> {
    const from = new Map([...this.#partitions].map(([partition, { fold }]) => [partition, fold.position.nextEffect]));
    for await (const { partition, records } of this.#options.effects.read(from, { signal }))
      await this.#of(partition).takeEffects(records);
  }

  #of(partition: number): PartitionWorker {
    const worker = this.#partitions.get(partition);
    if (worker === undefined)
      throw new Failure("unavailable", `the log gave a batch of partition ${partition}, which was not asked for`);
    return worker;
  }

  #alarm(partition: number, handler: string): void {
    const key = `${partition} ${handler}`;
    const now = this.#timing.now();
    if (now - (this.#alarmed.get(key) ?? Number.NEGATIVE_INFINITY) < alarmInterval) return;
    this.#alarmed.set(key, now);
    const count = this.#partitions.get(partition)?.fold.openByHandler.get(handler) ?? 0;
    this.#options.onUnknownHandler?.({ partition, handler, count });
  }
}
