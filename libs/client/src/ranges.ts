import { Failure, fromBytes, justAfter, prefixRange, toBytes } from "@seriatim/protocol";
import type { Bytes, Key, KeyRange } from "@seriatim/protocol";
import type { Range, ScanOptions } from "./transaction.ts";
import type { MergedScanOptions } from "./merged-scan.ts";

/** @throws Failure `invalid_argument` when the range is empty, or its bounds are no text or longer than a key can be. */
export function toRange(range: Range, keyBytes: number): KeyRange {
  const bounds = "prefix" in range ? prefixRange(range.prefix) : { from: bound(range.from), to: bound(range.to) };
  if (bounds.from.length > keyBytes || bounds.to.length > keyBytes + 1)
    throw new Failure("invalid_argument", `a range's bound is longer than a key may be, ${keyBytes} bytes in UTF-8`);
  if (bounds.from >= bounds.to)
    throw new Failure(
      "invalid_argument",
      `the range from ${quoted(bounds.from)} to ${quoted(bounds.to)} is empty: "from" must come before "to" by its UTF-8 bytes`,
    );
  return bounds;
}

function bound(text: string): Bytes {
  if (typeof text !== "string" || !text.isWellFormed())
    throw new Failure(
      "invalid_argument",
      `a range is { prefix } or { from, to }, each well-formed text; one bound is ${JSON.stringify(text)}`,
    );
  return toBytes(text);
}

function quoted(bytes: Bytes): string {
  return JSON.stringify(fromBytes(bytes));
}

export function toScanOptions({ limit, reverse }: ScanOptions): MergedScanOptions {
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    throw new Failure("invalid_argument", `limit is ${limit}; it is a whole number from 1, or left out for all`);
  return { limit: limit ?? Number.POSITIVE_INFINITY, reverse: reverse ?? false };
}

/** The part of `range` that an answer ending in `last` speaks of, when it was cut off by a limit. */
export function coveredRange(range: KeyRange, last: Key, reverse: boolean): KeyRange {
  return reverse ? { from: last, to: range.to } : { from: range.from, to: justAfter(last) };
}
