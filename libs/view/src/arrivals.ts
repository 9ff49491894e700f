import type { Batch, Log, LogRecord } from "@seriatim/log";
import type { Offset } from "@seriatim/protocol";
import type { ChunkLimit } from "./chunks.ts";

/** From so many records in a batch on, more of them are likely to be there already. */
const manyRecords = 256;

/**
 * Reads a log as `Log.read` does, but of a reader that is far behind, takes along what can be had without waiting, up to
 * `limit`: to fold much at once is faster. What comes next is asked for before that is folded. One that is near the log's
 * end gets each batch as it comes.
 */
export async function* arrivals(
  log: Log,
  from: ReadonlyMap<number, Offset>,
  options: { readonly signal: AbortSignal; readonly limit: () => ChunkLimit },
): AsyncGenerator<Batch, void> {
  // Whoever stops reading here may leave a fetch behind that waits for more.
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  const batches = log.read(from, { signal })[Symbol.asyncIterator]();
  let ahead: Promise<IteratorResult<Batch>> | undefined;
  try {
    for (;;) {
      const next = await (ahead ?? batches.next());
      ahead = undefined;
      if (next.done === true) return;
      const gathered = new Gathered(next.value);
      const limit = options.limit();
      let { size } = gathered;
      while (size >= manyRecords) {
        ahead = batches.next();
        // Whoever is folding meanwhile is told of a failure when this is awaited.
        ahead.catch(() => undefined);
        if (!gathered.isBelow(limit)) break;
        const more = await ready(ahead);
        if (more === undefined || more.done === true) break;
        ahead = undefined;
        gathered.add(more.value);
        size = more.value.records.length;
      }
      yield* gathered.batches();
    }
  } finally {
    left.abort();
    await batches.return?.();
  }
}

/** Batches of several partitions, those of one made one. */
class Gathered {
  size = 0;
  #bytes = 0;
  readonly #records = new Map<number, LogRecord[]>();

  constructor(first: Batch) {
    this.add(first);
  }

  add({ partition, records }: Batch): void {
    const held = this.#records.get(partition);
    if (held === undefined) this.#records.set(partition, [...records]);
    else for (const record of records) held.push(record);
    this.size += records.length;
    for (const { value } of records) this.#bytes += value.byteLength;
  }

  isBelow({ records, bytes }: ChunkLimit): boolean {
    return this.size < records && this.#bytes < bytes;
  }

  *batches(): Iterable<Batch> {
    for (const [partition, records] of this.#records) yield { partition, records };
  }
}

/** What a promise has come to by the next turn of the event loop. */
async function ready<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, turn()]);
}

/** Lets the event loop go round once. */
export function turn(): Promise<undefined> {
  return new Promise((resolve) => {
    setImmediate(resolve, undefined);
  });
}
