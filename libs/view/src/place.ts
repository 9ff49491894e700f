import { assert } from "@seriatim/protocol";

/**
 * Rows of all partitions share a table, and each partition has a stretch of its row ids: rows that belong together in
 * order stand side by side, found by arithmetic and without an index of their own.
 */
export const stretch = 2 ** 40;
/** The same as a number of bits, for `place >> 40` in SQL. */
export const stretchBits = 40;

/** So that every place is a safe integer. */
export const maximalPartitions = 2 ** 13;

/** The row id of the `n`th thing of `partition`, from 0. */
export function placeOf(partition: number, n: number): number {
  assert(
    partition >= 0 && partition < maximalPartitions && n >= 0 && n < stretch,
    `partition ${partition} or place ${n} is beyond what a view can hold`,
  );
  return partition * stretch + n;
}

/** The last row id that may belong to an offset of `partition` up to `n`, which may be below 0 or above all. */
export function lastPlace(partition: number, n: number): number {
  return partition * stretch + Math.max(-1, Math.min(n, stretch - 1));
}

export function partitionAt(place: number): number {
  return Math.floor(place / stretch);
}

export function numberAt(place: number): number {
  return place % stretch;
}
