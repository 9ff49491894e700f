import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Log, SqliteFile } from "@seriatim/log";
import { Failure, type Hash, type RecordCodec } from "@seriatim/protocol";
import { verifyPosition, type View } from "@seriatim/view";
import { restoredState, type MemoryState } from "./core/index.ts";
import { DirectFolding } from "./folding/direct-folding.ts";
import type { Folding } from "./folding/folding.ts";
import { unobserved, type SequencerObserver } from "./observer.ts";
import { PartitionDriver } from "./partition-driver.ts";
import { Pipeline } from "./pipeline.ts";
import { ReadingTime } from "./reading-time.ts";
import type { PartitionStatus } from "./status.ts";
import { processTiming, type Timing } from "./timing.ts";

export interface SequencerOptions {
  readonly intents: Log;
  readonly verdicts: Log;
  /** The view and its file; other processes may fold into it too. */
  readonly view: View;
  readonly file: SqliteFile;
  /** Who folds into the view. Default: this thread, before it reads on. */
  readonly folding?: Folding;
  readonly codec: RecordCodec;
  readonly hash: Hash;
  /** The partitions to decide; all unless given. */
  readonly partitions?: readonly number[];
  /** Those of them that it is to lead, following the others; where it is not said, whoever was first leads. */
  readonly assigned?: ReadonlySet<number>;
  /** How long, in ms, the head may stand still with verdicts missing before they are sent again. Default 300. */
  readonly stallAfter?: number;
  /** Unique among sequencers. Default: a random one. */
  readonly name?: string;
  /** Default: the process's clock, timers and chance. */
  readonly timing?: Timing;
  readonly observer?: SequencerObserver;
}

/**
 * Decides the intents of a space's partitions and appends the verdicts. Any number of sequencers may do so for the same
 * partition at once: they write the same verdicts, and readers take the first (invariant 4).
 */
export class Sequencer {
  readonly name: string;
  readonly #options: SequencerOptions;
  readonly #folding: Folding;
  readonly #timing: Timing;
  readonly #readingVerdicts: ReadingTime;
  readonly #drivers: ReadonlyMap<number, PartitionDriver>;

  private constructor(options: SequencerOptions, name: string, partitions: readonly number[]) {
    this.#options = options;
    this.name = name;
    this.#folding = options.folding ?? new DirectFolding(options.file, options.view);
    this.#timing = options.timing ?? processTiming;
    this.#readingVerdicts = new ReadingTime(this.#timing);
    this.#drivers = new Map(partitions.map((partition) => [partition, this.#driver(partition)]));
  }

  /**
   * Loads the state of its partitions from the view.
   * @throws Failure `log_changed` when the logs are not those that the view was folded from; `unavailable`.
   */
  static async open(options: SequencerOptions): Promise<Sequencer> {
    const { view, file, folding, intents, verdicts, codec, hash, name = randomUUID() } = options;
    const partitions = options.partitions ?? Array.from({ length: codec.genesis.partitions }, (_, index) => index);
    // What another sequencer of this process left there need not be read again.
    await folding?.settled();
    await verifyPosition({ intents, verdicts, view, partitions, hash });
    // One read transaction: another process may fold meanwhile, and the state must be that of one position.
    return file.read(() => new Sequencer(options, name, partitions));
  }

  status(): PartitionStatus[] {
    return [...this.#drivers.values()].map((driver) => driver.status());
  }

  /** Leads these of its partitions from now on, and follows the others. */
  assign(assigned: ReadonlySet<number>): void {
    for (const [partition, driver] of this.#drivers) driver.assume(assigned.has(partition) ? "assigned" : "standby");
  }

  /**
   * Works until `signal` fires.
   * @throws Defect when a verdict in the log differs from its own; Failure `log_changed` or `unavailable` from the logs;
   *   what a fold has failed with.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const ending = AbortSignal.any([signal, stop.signal]);
    // Each partition waits for it in several places.
    setMaxListeners(0, ending);
    const reading = [this.#readIntents(ending), this.#readVerdicts(ending)];
    const tasks = [...reading, ...this.#sending(ending), this.#folding.watch(ending)];
    const guarded = tasks.map((task) => task.finally(() => stop.abort()));
    const failed = (await Promise.allSettled(guarded)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #driver(partition: number): PartitionDriver {
    const { intents, view, verdicts, codec, hash, assigned } = this.#options;
    const { stallAfter = 300, observer = unobserved } = this.#options;
    const state = restore(view, partition, codec.genesis.limits.window);
    const rules = { genesis: codec.genesis, codec };
    const role = assigned === undefined ? "shared" : assigned.has(partition) ? "assigned" : "standby";
    const pipeline = new Pipeline({ rules, partition, state, hash, name: this.name, role });
    const verify = (signal: AbortSignal): Promise<void> =>
      verifyPosition({ intents, verdicts, view, partitions: [partition], hash, signal });
    return new PartitionDriver({
      partition,
      pipeline,
      verdicts,
      position: view.position(partition),
      folding: this.#folding,
      codec,
      stallAfter,
      timing: this.#timing,
      reading: this.#readingVerdicts,
      observer,
      verify,
    });
  }

  #sending(signal: AbortSignal): Promise<void>[] {
    return [...this.#drivers.values()].flatMap((driver) => [driver.send(signal), driver.watch(signal)]);
  }

  async #readIntents(signal: AbortSignal): Promise<void> {
    const from = new Map([...this.#drivers].map(([partition, driver]) => [partition, driver.nextIntent]));
    for await (const { partition, records } of this.#options.intents.read(from, { signal })) {
      await this.#of(partition).take(records, signal);
    }
  }

  async #readVerdicts(signal: AbortSignal): Promise<void> {
    const from = new Map([...this.#drivers].map(([partition, driver]) => [partition, driver.nextVerdict]));
    for await (const { partition, records } of this.#options.verdicts.read(from, { signal })) {
      await this.#readingVerdicts.stopFor(() => this.#of(partition).readBack(records, signal));
    }
  }

  #of(partition: number): PartitionDriver {
    const driver = this.#drivers.get(partition);
    if (driver === undefined)
      throw new Failure("unavailable", `the log gave a batch of partition ${partition}, which was not asked for`);
    return driver;
  }
}

function restore(view: View, partition: number, window: number): MemoryState {
  const { offset, chain, time } = view.position(partition);
  const oldest = offset - window;
  return restoredState(window, {
    head: { position: { offset, chain }, time },
    writes: view.recentWrites(partition, oldest),
    claims: view.recentClaims(partition, oldest),
    holds: view.recentHolds(partition, oldest),
  });
}
