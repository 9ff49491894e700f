import type { Bytes } from "./keys.ts";

const multiplier = 0x5bd1e995;
const shift = 24;
const seed = 0x9747b28c;

function byteAt(bytes: Bytes, index: number): number {
  return bytes.charCodeAt(index);
}

/** MurmurHash2, 32 bits, with Kafka's seed. */
export function murmur2(bytes: Bytes): number {
  const length = bytes.length;
  let hash = seed ^ length;
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    let word =
      byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16) | (byteAt(bytes, at + 3) << 24);
    word = Math.imul(word, multiplier);
    word ^= word >>> shift;
    hash = Math.imul(hash, multiplier) ^ Math.imul(word, multiplier);
  }
  const rest = length - at;
  if (rest > 2) hash ^= byteAt(bytes, at + 2) << 16;
  if (rest > 1) hash ^= byteAt(bytes, at + 1) << 8;
  if (rest > 0) hash = Math.imul(hash ^ byteAt(bytes, at), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
}

/** The partition of all keys under `partitionKey`: the one that Kafka's default partitioner gives a record of that key. */
export function partitionOf(partitionKey: Bytes, partitions: number): number {
  return partitions === 1 ? 0 : (murmur2(partitionKey) & 0x7fffffff) % partitions;
}
