import type { Key, KeyRange, Offset, Write } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { breathe } from "./waiting.ts";

export interface Row {
  readonly key: Key;
  readonly value: Uint8Array;
  /** Undefined when it is the transaction's own write. */
  readonly version: Offset | undefined;
}

export interface MergedScanOptions {
  /** Infinity for all. */
  readonly limit: number;
  readonly reverse: boolean;
}

/** So many rows at once: the longest values together still take a small part of a second. */
const pageRows = 250;

/**
 * The rows of `range` at the snapshot `at`, with `own` (the writes inside of it, in byte order) laid over them, page by
 * page. Between two pages the event loop goes round.
 */
export async function* mergedScan(
  view: View,
  range: KeyRange,
  at: Offset,
  own: readonly Write[],
  { limit, reverse }: MergedScanOptions,
): AsyncGenerator<readonly Row[], void, undefined> {
  const overlay = new Overlay(own, reverse);
  let left = limit;
  let after: Key | undefined;
  for (;;) {
    const asked = Math.min(pageRows, left);
    const page = view.scan(range, at, { limit: asked, reverse, ...(after === undefined ? {} : { after }) });
    const isLast = page.length < asked;
    const rows = page.flatMap((entry) => overlay.upTo(entry));
    if (isLast) rows.push(...overlay.rest());
    yield rows.length > left ? rows.slice(0, left) : rows;
    left -= rows.length;
    after = page.at(-1)?.key;
    if (isLast || left <= 0) return;
    await breathe();
  }
}

/** A transaction's own writes, taken in step with the rows of a scan. */
class Overlay {
  readonly #own: readonly Write[];
  readonly #reverse: boolean;
  #next = 0;

  constructor(own: readonly Write[], reverse: boolean) {
    this.#own = reverse ? own.toReversed() : own;
    this.#reverse = reverse;
  }

  /** The own rows that come before the entry, then the entry, or what was written over it. */
  upTo(entry: Row): Row[] {
    const rows: Row[] = [];
    for (;;) {
      const write = this.#own[this.#next];
      if (write === undefined || this.#isAfter(write.key, entry.key)) return [...rows, entry];
      this.#next += 1;
      rows.push(...rowOf(write));
      if (write.key === entry.key) return rows;
    }
  }

  rest(): Row[] {
    return this.#own.slice(this.#next).flatMap(rowOf);
  }

  #isAfter(key: Key, other: Key): boolean {
    return this.#reverse ? key < other : key > other;
  }
}

function rowOf({ key, value }: Write): Row[] {
  return value === null ? [] : [{ key, value, version: undefined }];
}
