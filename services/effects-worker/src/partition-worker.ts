import type { LogRecord } from "@seriatim/log";
import { Arrival } from "./arrival.ts";
import { Dispatcher, type DispatcherOptions } from "./dispatcher.ts";
import { PartitionFold, type FoldOptions } from "./fold/partition-fold.ts";
import { Expirer } from "./expirer.ts";
import { Outbox } from "./outbox.ts";
import type { WorkerOptions } from "./worker.ts";

/** So many changed effects are held in memory before they are stored, and for so long, in ms. */
const most = 5_000;
const storeAfter = 1_000;

type Shared = Omit<DispatcherOptions, "fold" | "outbox" | "partition"> & Omit<FoldOptions, "partition" | "onChange">;

/** What a worker does in one partition. */
export class PartitionWorker {
  readonly partition: number;
  readonly fold: PartitionFold;
  readonly dispatcher: Dispatcher;
  readonly #expirer: Expirer;
  readonly #outbox: Outbox;
  readonly #options: WorkerOptions & Shared;
  readonly #verdictsRead: Arrival;
  readonly #effectsRead: Arrival;

  constructor(partition: number, options: WorkerOptions & Shared) {
    const { effects: log, effectsCodec: codec, timing } = options;
    this.partition = partition;
    this.#options = options;
    this.#outbox = new Outbox({ partition, log, codec, timing });
    this.fold = new PartitionFold({
      ...options,
      partition,
      onChange: (row, record) => {
        this.dispatcher.changed(row, record);
        this.#expirer.changed(row);
      },
    });
    this.#expirer = new Expirer({ ...options, partition, fold: this.fold });
    this.dispatcher = new Dispatcher({ ...options, partition, fold: this.fold, outbox: this.#outbox });
    this.#verdictsRead = new Arrival(this.fold.position.nextVerdict);
    this.#effectsRead = new Arrival(this.fold.position.nextEffect);
  }

  async takeVerdicts(records: readonly LogRecord[]): Promise<void> {
    this.fold.takeVerdicts(records);
    this.#verdictsRead.read(this.fold.position.nextVerdict);
    if (this.fold.unstored > most) await this.fold.flush();
  }

  async takeEffects(records: readonly LogRecord[]): Promise<void> {
    this.fold.takeEffects(records);
    this.#effectsRead.read(this.fold.position.nextEffect);
    if (this.fold.unstored > most) await this.fold.flush();
  }

  /** Acts once both logs were read as far as they reached at the start: what is done already is known by then. */
  async act(signal: AbortSignal): Promise<void> {
    const { verdicts, effects } = this.#options;
    await Promise.all([
      this.#verdictsRead.begin(verdicts, this.partition),
      this.#effectsRead.begin(effects, this.partition),
    ]);
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([Promise.all([this.#verdictsRead.arrived, this.#effectsRead.arrived]), stopped]);
    if (signal.aborted) return;
    this.dispatcher.begin();
    this.#expirer.begin();
    await this.#outbox.run(signal);
  }

  /** Stores what was read, every now and then. */
  async keep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.timing.sleep(storeAfter, signal);
      await this.fold.flush();
    }
  }

  /** Whether nothing is under way that can be ended in good order. */
  get isQuiet(): boolean {
    return !this.dispatcher.isCalling && this.#outbox.isEmpty;
  }

  stop(): void {
    this.#verdictsRead.end();
    this.#effectsRead.end();
    this.dispatcher.stop();
    this.#expirer.stop();
  }
}
