import type { Batch, Log, NewRecord } from "@seriatim/log";
import { Failure } from "@seriatim/protocol";
import type { World } from "./world.ts";

/**
 * One process. Once it is killed it does nothing more, but what it had asked of a log by then may still happen. While
 * it is paused nothing happens in it; what it had asked for by then does.
 */
export class SimulatedProcess {
  readonly signal: AbortSignal;
  /** Resolves when it is killed. */
  readonly killed: Promise<void>;
  readonly #world: World;
  readonly #dead = new AbortController();
  #pausedUntil = 0;

  constructor(world: World) {
    this.#world = world;
    this.signal = this.#dead.signal;
    this.killed = new Promise((resolve) => this.signal.addEventListener("abort", () => resolve(), { once: true }));
  }

  get isDead(): boolean {
    return this.signal.aborted;
  }

  kill(): void {
    this.#dead.abort();
  }

  /** @param duration in ms. */
  pause(duration: number): void {
    this.#pausedUntil = this.#world.clock.now() + duration;
  }

  /** Resolves when it may go on. */
  async running(): Promise<void> {
    for (let rest = this.#rest(); rest > 0; rest = this.#rest()) await this.#world.clock.sleep(rest);
  }

  /** Its handle on a log. */
  on(log: Log): Log {
    return {
      name: log.name,
      partitions: log.partitions,
      append: async (partition, records) => this.#append(log, partition, records),
      read: (from, { signal }) => this.#read(log, from, signal),
      bounds: (partition) => log.bounds(partition),
      close: async () => undefined,
    };
  }

  async #append(log: Log, partition: number, records: readonly NewRecord[]): Promise<number> {
    await this.running();
    if (this.isDead) throw new Failure("closed", "the process was killed");
    try {
      return await log.append(partition, records);
    } finally {
      await this.running();
    }
  }

  async *#read(log: Log, from: ReadonlyMap<number, number>, signal: AbortSignal): AsyncGenerator<Batch, void> {
    for await (const batch of log.read(from, { signal: AbortSignal.any([signal, this.signal]) })) {
      this.#world.noteRead(log, batch);
      await this.running();
      if (this.isDead || signal.aborted) return;
      yield batch;
    }
  }

  #rest(): number {
    return this.isDead ? 0 : this.#pausedUntil - this.#world.clock.now();
  }
}
