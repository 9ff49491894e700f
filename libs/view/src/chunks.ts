import type { LogRecord } from "@seriatim/log";

/**
 * How many records, and bytes of them, one transaction folds at most, so that none holds up the event loop for 50 ms: a
 * record costs 10 to 20 µs. More at once is faster: what writes to the same page of the file is written once.
 */
export const chunkRecords = 2048;
const chunkBytes = 4 * 1024 * 1024;

/** Cuts a batch into what one transaction folds. */
export function* chunks(records: readonly LogRecord[]): Iterable<readonly LogRecord[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, { value }] of records.entries()) {
    if (index > start && (index - start >= chunkRecords || bytes + value.byteLength > chunkBytes)) {
      yield records.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += value.byteLength;
  }
  yield records.slice(start);
}
