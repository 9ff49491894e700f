import { bufferOf, hexOf, sha256, type Bytes, type EffectPlace } from "@seriatim/protocol";

export interface KeyParts extends EffectPlace {
  readonly space: Bytes;
  readonly partition: number;
  /** The intent's. */
  readonly id: string;
}

/**
 * The key of an effect: hex of the SHA-256 over what says which effect it is, and over nothing else, so that it is the
 * same after every restart and in every process (invariant 10).
 */
export function idempotencyKey({ space, partition, offset, id, index, side }: KeyParts): string {
  const parts = JSON.stringify([bufferOf(space).toString("hex"), partition, offset, id, index, side]);
  return hexOf(sha256(Buffer.from(parts, "utf8")));
}
