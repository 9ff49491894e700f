import { Failure, partitionOf, type Bytes, type Genesis, type Offset, type Version } from "@seriatim/protocol";
import { nameOf } from "../advances.ts";
import type { OpenSpace } from "./open-space.ts";

export function partitionOfKey(genesis: Genesis, partitionKey: Bytes): number {
  return genesis.partitions === 1 ? 0 : partitionOf(partitionKey, genesis.partitions);
}

/**
 * The offset at which to read a partition.
 * @throws Failure `invalid_argument` for a version of another partition; `not_yet` for one that is not applied.
 */
export function snapshotAt({ view }: OpenSpace, partition: number, asOf: Version | Date | undefined): Offset {
  const head = view.position(partition).offset;
  if (asOf === undefined) return head;
  if (asOf instanceof Date) return view.offsetAt(partition, asOf.getTime());
  if (asOf.partition !== partition)
    throw new Failure(
      "invalid_argument",
      `--as-of ${nameOf(asOf)} is a version of partition ${asOf.partition}, and what is asked for stands in partition ${partition}`,
    );
  if (asOf.offset > head)
    throw new Failure(
      "not_yet",
      `there is no version ${nameOf(asOf)} yet: the newest is ${nameOf({ partition, offset: head })}`,
    );
  return asOf.offset;
}
