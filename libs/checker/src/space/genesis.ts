import {
  createCodec,
  createGenesis,
  decodeGenesis,
  Failure,
  isFailure,
  type Hash,
  type RecordCodec,
} from "@seriatim/protocol";

import type { Slice } from "./source.ts";

export interface FoundCodec {
  readonly codec: RecordCodec;
  readonly hasGenesis: boolean;
}

/**
 * The codec that a partition's first records say: those of the verdicts log, which vouches for its bytes, and of the intents log. Where neither has a
 * genesis, the codec reads what this version writes.
 * @throws Failure `unknown_rules` when the genesis is of a version that this one does not know.
 */
export function codecFrom(first: readonly (Uint8Array | undefined)[], hash: Hash): FoundCodec {
  const usual = createCodec(createGenesis({ partitions: 1 }), hash);
  let unknown: unknown;
  for (const record of first) {
    if (record === undefined) continue;
    const founded = usual.decodeVerdict(record)?.outcome;
    try {
      return {
        codec: createCodec(decodeGenesis(founded?.kind === "genesis" ? founded.genesis : record), hash),
        hasGenesis: true,
      };
    } catch (error) {
      // A damaged one may look like one of another version: another record may have it whole.
      if (isFailure(error, "unknown_rules")) unknown = error;
      else if (!isFailure(error, "not_a_space")) throw error;
    }
  }
  if (unknown !== undefined) throw unknown;
  return { codec: usual, hasGenesis: false };
}

/** @throws Failure `invalid_argument` when a slice names a partition that is not there, or ends before it begins. */
export function checkSlice({ from, to, partition }: Slice, name: string, partitions: number): void {
  if (partition !== undefined && partition >= partitions)
    throw new Failure(
      "invalid_argument",
      `${name} has no partition ${partition}: its partitions are numbered from 0 to ${partitions - 1}`,
    );
  if (from !== undefined && to !== undefined && to < from)
    throw new Failure("invalid_argument", `the slice ends at offset ${to} before it begins at ${from}`);
}
