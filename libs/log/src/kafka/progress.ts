import type { LogRecord } from "../port.ts";

/** What is remembered of a record that was delivered, to know it again by. */
interface Mark {
  readonly offset: number;
  readonly time: number;
  readonly value: Uint8Array;
}

/** What of a fetched batch is new; `replaced` when the record delivered last no longer stands where it stood. */
export type Fresh = { readonly records: readonly LogRecord[] } | "replaced";

/**
 * How far one read has come in each partition. After a connection was lost the topic may be another one (invariant 9):
 * then the record delivered last is read once more, and nothing after it is delivered before it was found the same.
 */
export class Progress {
  readonly #next: Map<number, number>;
  readonly #last = new Map<number, Mark>();
  readonly #doubted = new Map<number, Mark>();

  constructor(from: ReadonlyMap<number, number>) {
    this.#next = new Map(from);
  }

  get partitions(): readonly number[] {
    return [...this.#next.keys()];
  }

  /** The partitions whose last record is yet to be read once more. */
  get doubted(): readonly number[] {
    return [...this.#doubted.keys()];
  }

  /** The offset of the next record to deliver; undefined in a partition that is not read. */
  next(partition: number): number | undefined {
    return this.#next.get(partition);
  }

  /** From where to fetch, which is below `next` while the last record is doubted. */
  from(partition: number): number | undefined {
    return this.#doubted.get(partition)?.offset ?? this.#next.get(partition);
  }

  doubt(): void {
    for (const [partition, mark] of this.#last) this.#doubted.set(partition, mark);
  }

  /** Those of `records`, fetched with `from` in mind, that are to be delivered. */
  admit(partition: number, records: readonly LogRecord[]): Fresh {
    const mark = this.#doubted.get(partition);
    if (mark !== undefined) {
      const found = records.find(({ offset }) => offset >= mark.offset);
      if (found === undefined) return { records: [] };
      if (!isSame(found, mark)) return "replaced";
      this.#doubted.delete(partition);
    }
    const next = this.#next.get(partition) ?? Number.POSITIVE_INFINITY;
    return { records: records.filter(({ offset }) => offset >= next) };
  }

  /** `record` was delivered, and all before it. */
  delivered(partition: number, { offset, time, value }: LogRecord): void {
    // A copy: the value is a part of all that was fetched with it.
    this.#last.set(partition, { offset, time, value: new Uint8Array(value) });
    this.advance(partition, offset + 1);
  }

  /** There is nothing to deliver below `next`. */
  advance(partition: number, next: number): void {
    this.#next.set(partition, Math.max(next, this.#next.get(partition) ?? next));
  }
}

function isSame(record: LogRecord, mark: Mark): boolean {
  return record.offset === mark.offset && record.time === mark.time && Buffer.compare(record.value, mark.value) === 0;
}
