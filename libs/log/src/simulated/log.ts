import { Failure } from "@seriatim/protocol";
import { checkPartition, checkPosition, closedLog } from "../checks.ts";
import { follow, type Source } from "../follow.ts";
import type { Batch, Bounds, Log, LogRecord, NewRecord } from "../port.ts";
import { VirtualClock } from "./clock.ts";
import { Faults, type FaultRates } from "./faults.ts";
import { Random } from "./random.ts";
import { SimulatedRecords } from "./records.ts";

export interface SimulatedLogOptions {
  /** Determines every choice: the same seed, options and calls give the same log. */
  readonly seed: number;
  readonly name?: string;
  /** Default 1. */
  readonly partitions?: number;
  /** Default: none. */
  readonly rates?: FaultRates;
  /** One for all logs of a simulation, so that their delays are in one order. Default: one of its own. */
  readonly clock?: VirtualClock;
  /** The longest delay, in ms of virtual time. Default 50. */
  readonly maxDelay?: number;
  /** How far the log's clock goes back at most, in ms. Default 60,000. */
  readonly maxStepBack?: number;
}

const batchCount = 1000;

/**
 * A log in memory, for tests, that does what a real one may do and seldom does: `faults` says what and how often.
 * Without faults it behaves like any other log.
 */
export class SimulatedLog implements Log {
  readonly name: string;
  readonly partitions: number;
  readonly clock: VirtualClock;
  readonly faults: Faults;
  /** For what happens to a log from outside: truncated, recreated, the oldest records deleted. */
  readonly records: SimulatedRecords;
  readonly #options: SimulatedLogOptions;
  readonly #random: Random;
  readonly #closing = new AbortController();

  /** `shared`: another handle, whose records, faults and clock this one shares. */
  constructor(options: SimulatedLogOptions, shared?: SimulatedLog) {
    this.#options = options;
    this.name = options.name ?? "simulated";
    this.partitions = options.partitions ?? 1;
    this.clock = shared?.clock ?? options.clock ?? new VirtualClock();
    this.#random = shared === undefined ? new Random(options.seed) : shared.#random;
    this.faults = shared?.faults ?? new Faults(this.#random, options.rates ?? {});
    this.records = shared?.records ?? new SimulatedRecords(this.partitions);
  }

  /** Another handle on the same records, as another process has one. Works after `close`. */
  reopen(): SimulatedLog {
    return new SimulatedLog(this.#options, this);
  }

  async append(
    partition: number,
    records: readonly NewRecord[],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<number> {
    this.#assertOpen();
    checkPartition(this, partition);
    if (this.faults.fires("delayAppend")) await this.#delay();
    if (options.signal?.aborted === true) throw new Failure("aborted", `an append to ${this.name} was ended`);
    this.#assertOpen();
    if (this.faults.fires("unavailable")) {
      throw new Failure("unavailable", `log ${this.name} is unavailable (simulated)`, { canRetry: true });
    }
    this.#changeHistory(partition);
    const isCut = this.faults.fires("cut");
    const base = this.#land(partition, isCut ? records.slice(0, this.#random.below(records.length)) : records);
    if (this.faults.fires("delayAppend")) await this.#delay();
    if (isCut || this.faults.fires("unknown")) {
      throw new Failure("unknown_outcome", `an append to ${this.name} may have happened (simulated)`);
    }
    return base;
  }

  async *read(
    from: ReadonlyMap<number, number>,
    options: { readonly signal: AbortSignal },
  ): AsyncGenerator<Batch, void> {
    this.#assertOpen();
    for (const partition of from.keys()) checkPartition(this, partition);
    const source: Source = {
      fetch: (partition, position) => this.#fetch(partition, position),
      subscribe: (listener) => this.records.subscribe(listener),
    };
    yield* follow(source, from, AbortSignal.any([options.signal, this.#closing.signal]));
  }

  async bounds(partition: number): Promise<Bounds> {
    this.#assertOpen();
    checkPartition(this, partition);
    return this.records.bounds(partition);
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  #changeHistory(partition: number): void {
    if (this.faults.fires("truncate")) {
      this.records.truncate(partition, this.records.bounds(partition).end - 1 - this.#random.below(3));
    }
    if (this.faults.fires("recreate")) this.records.recreate();
  }

  /** Puts `records` into the log, and returns the offset of the first. */
  #land(partition: number, records: readonly NewRecord[]): number {
    if (this.faults.fires("stepBack"))
      this.records.stepBack = 1 + this.#random.below(this.#options.maxStepBack ?? 60_000);
    const time = this.clock.now() - this.records.stepBack;
    const base = this.records.append(partition, records, time);
    if (records.length > 0 && this.faults.fires("repeat")) {
      const first = this.#random.below(records.length);
      const count = 1 + this.#random.below(records.length - first);
      this.records.append(partition, records.slice(first, first + count), time);
    }
    if (this.faults.fires("hole")) this.records.skip(partition);
    return base;
  }

  async #fetch(partition: number, position: number): Promise<LogRecord[]> {
    if (this.faults.fires("delayRead")) await this.#delay();
    checkPosition(this, partition, position, this.records.bounds(partition));
    const records = this.records.fetch(partition, position, batchCount);
    if (records.length > 1 && this.faults.fires("splitRead"))
      records.length = 1 + this.#random.below(records.length - 1);
    return records;
  }

  #delay(): Promise<void> {
    return this.clock.sleep(1 + this.#random.below(this.#options.maxDelay ?? 50));
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw closedLog(this);
  }
}
