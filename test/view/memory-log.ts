import type { Batch, Bounds, Log, LogRecord, NewRecord } from "@seriatim/log";

/** A log in memory whose records a test may replace or drop. Fetches at most `batch` records at once. */
export class MemoryLog implements Log {
  readonly name: string;
  readonly partitions: number;
  start = 0;
  records: LogRecord[] = [];
  reads = 0;
  readonly #batch: number;
  #waiting: (() => void)[] = [];
  #idle: (() => void)[] = [];

  constructor(name: string, options: { partitions?: number; batch?: number } = {}) {
    this.name = name;
    this.partitions = options.partitions ?? 1;
    this.#batch = options.batch ?? 100;
  }

  async append(_partition: number, records: readonly NewRecord[]): Promise<number> {
    return this.push(...records.map((record) => record.value));
  }

  push(...values: readonly Uint8Array[]): number {
    const first = this.#end;
    for (const value of values) this.records.push({ offset: this.#end, time: 0, value, headers: {} });
    for (const wake of this.#waiting.splice(0)) wake();
    return first;
  }

  /** Resolves when a reader has taken everything and waits for more. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.length > 0) resolve();
      else this.#idle.push(resolve);
    });
  }

  async *read(from: ReadonlyMap<number, number>, { signal }: { signal: AbortSignal }): AsyncIterable<Batch> {
    this.reads += 1;
    let [[partition, next] = [0, 0]] = from;
    while (!signal.aborted) {
      const records = this.records.filter(({ offset }) => offset >= next).slice(0, this.#batch);
      next = (records.at(-1)?.offset ?? next - 1) + 1;
      if (records.length > 0) yield { partition, records };
      else await this.#more(signal);
    }
  }

  async bounds(_partition?: number): Promise<Bounds> {
    return { start: this.start, end: this.#end };
  }

  async close(): Promise<void> {}

  get #end(): number {
    return (this.records.at(-1)?.offset ?? this.start - 1) + 1;
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#waiting.push(wake);
      signal.addEventListener("abort", wake);
      for (const tell of this.#idle.splice(0)) tell();
    });
  }
}
