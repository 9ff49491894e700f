import type { LogRecord } from "@seriatim/log";

/** How much one transaction folds at most. More at once is faster: what changes one page of the file writes it once. */
export interface ChunkLimit {
  readonly records: number;
  readonly bytes: number;
}

/** So that none holds up the event loop for 50 ms: a record costs 10 to 20 µs. */
export const steadyChunk: ChunkLimit = { records: 2_048, bytes: 4 * 1024 * 1024 };

/** While nobody is served yet, since the view has not caught up: a few hundred milliseconds. */
export const loadingChunk: ChunkLimit = { records: 16_384, bytes: 4 * 1024 * 1024 };

/** Cuts a batch into what one transaction folds. */
export function* chunks(records: readonly LogRecord[], limit: ChunkLimit): Iterable<readonly LogRecord[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, { value }] of records.entries()) {
    if (index > start && (index - start >= limit.records || bytes + value.byteLength > limit.bytes)) {
      yield records.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += value.byteLength;
  }
  yield records.slice(start);
}
