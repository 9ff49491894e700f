import type { Log, LogRecord } from "@seriatim/log";

/** The records of one partition from `from` up to, not including, `end`, which the log must have reached. */
export async function* boundedRecords(
  log: Log,
  partition: number,
  { from, end }: { readonly from: number; readonly end: number },
  signal: AbortSignal,
): AsyncGenerator<readonly LogRecord[], void> {
  if (from >= end) return;
  const enough = new AbortController();
  try {
    for await (const { records } of log.read(new Map([[partition, from]]), {
      signal: AbortSignal.any([signal, enough.signal]),
    })) {
      const last = records.at(-1);
      if (last === undefined) continue;
      yield last.offset < end ? records : records.filter(({ offset }) => offset < end);
      if (last.offset + 1 >= end) return;
    }
  } finally {
    enough.abort();
  }
}

/** Hands out the records of batches one at a time, and shows the next without taking it. */
export class RecordCursor {
  readonly #batches: AsyncIterator<readonly LogRecord[]>;
  #batch: readonly LogRecord[] = [];
  #at = 0;

  constructor(batches: AsyncIterable<readonly LogRecord[]>) {
    this.#batches = batches[Symbol.asyncIterator]();
  }

  /** The records at hand, all of one batch; empty when there are no more. */
  async rest(): Promise<readonly LogRecord[]> {
    while (this.#at >= this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done === true) return [];
      this.#batch = value;
      this.#at = 0;
    }
    return this.#at === 0 ? this.#batch : this.#batch.slice(this.#at);
  }

  /** Of the records at hand, takes so many. */
  take(count: number): void {
    this.#at += count;
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }
}
