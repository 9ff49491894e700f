import { assert } from "@seriatim/protocol";
import type { Bounds, LogRecord, NewRecord } from "../port.ts";

interface Partition {
  start: number;
  end: number;
  records: LogRecord[];
}

/** What a simulated log holds, and what can be done to it behind its readers' backs. */
export class SimulatedRecords {
  /** How far the log's clock is behind, in ms. */
  stepBack = 0;
  readonly #partitions: Partition[];
  readonly #listeners = new Set<() => void>();

  constructor(partitions: number) {
    this.#partitions = Array.from({ length: partitions }, () => ({ start: 0, end: 0, records: [] }));
  }

  append(partition: number, records: readonly NewRecord[], time: number): number {
    const target = this.#at(partition);
    const base = target.end;
    for (const { value, headers } of records) {
      // Copied: neither the writer nor a reader may change what stands in the log.
      target.records.push({ offset: target.end, time, value: copyOf(value), headers: { ...headers } });
      target.end += 1;
    }
    this.#notify();
    return base;
  }

  fetch(partition: number, from: number, count: number): LogRecord[] {
    const { records } = this.#at(partition);
    const first = firstAtOrAfter(records, from);
    return records
      .slice(first, first + count)
      .map(({ offset, time, value, headers }) => ({ offset, time, value: copyOf(value), headers }));
  }

  bounds(partition: number): Bounds {
    const { start, end } = this.#at(partition);
    return { start, end };
  }

  /** Removes the records at and after `end`, whose offsets are then given out again. */
  truncate(partition: number, end: number): void {
    const target = this.#at(partition);
    target.end = Math.max(target.start, Math.min(target.end, end));
    target.records.length = firstAtOrAfter(target.records, target.end);
    this.#notify();
  }

  /** Removes the records below `start`, as retention does. */
  deleteBefore(partition: number, start: number): void {
    const target = this.#at(partition);
    target.start = Math.max(target.start, Math.min(target.end, start));
    target.records.splice(0, firstAtOrAfter(target.records, target.start));
    this.#notify();
  }

  /** Leaves the next `count` offsets empty. */
  skip(partition: number, count = 1): void {
    this.#at(partition).end += count;
    this.#notify();
  }

  /** Empties all partitions; offsets begin at 0 again. */
  recreate(): void {
    for (const target of this.#partitions) Object.assign(target, { start: 0, end: 0, records: [] });
    this.#notify();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #at(partition: number): Partition {
    const found = this.#partitions[partition];
    assert(found !== undefined, `there is no partition ${partition}`);
    return found;
  }
}

/** `slice` of a Buffer is no copy. */
function copyOf(value: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(value);
}

/** The index of the first record whose offset is at least `offset`; their number when there is none. */
function firstAtOrAfter(records: readonly LogRecord[], offset: number): number {
  let low = 0;
  let high = records.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((records[middle]?.offset ?? offset) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
