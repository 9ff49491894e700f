/** One transaction of the workload: which keys it reads at which versions, and which it writes. */
export interface WorkloadTransaction {
  readonly offset: number;
  readonly snapshot: number;
  readonly reads: readonly (readonly [key: number, version: number | null])[];
  readonly writes: readonly number[];
}

export const keyCount = 1000;
const agents = 8;

/**
 * A history of one to four operations a transaction, 2.5 on average, half of them reads, on 1,000 keys by Zipf's law. It
 * is serializable; with `cycle`, the two transactions in its middle each read what the other overwrites.
 */
export function* workload(count: number, cycle: boolean): Generator<WorkloadTransaction, void> {
  const chance = new Chance(20_240_601);
  const newest = new Int32Array(keyCount).fill(-1);
  const middle = count >>> 1;
  let seen: WorkloadTransaction["reads"] = [];
  for (let offset = 1; offset <= count; offset += 1) {
    if (cycle && offset === middle) seen = [0, 1].map((key) => [key, versionOf(newest, key)]);
    const isSkewed = cycle && (offset === middle || offset === middle + 1);
    const transaction = isSkewed
      ? { offset, snapshot: middle - 1, reads: seen, writes: [offset - middle] }
      : sound(chance, newest, offset);
    yield transaction;
    for (const key of transaction.writes) newest[key] = offset;
  }
}

/** It began up to eight transactions ago, but after what it read was written. */
function sound(chance: Chance, newest: Int32Array, offset: number): WorkloadTransaction {
  const operations = 1 + chance.below(4);
  const keys = new Set<number>();
  while (keys.size < operations) keys.add(chance.key());
  const reads: [number, number | null][] = [];
  const writes: number[] = [];
  let snapshot = Math.max(0, offset - 1 - chance.below(agents));
  for (const key of keys) {
    if (chance.below(2) === 0) writes.push(key);
    else {
      reads.push([key, versionOf(newest, key)]);
      snapshot = Math.max(snapshot, newest[key] ?? 0);
    }
  }
  return { offset, snapshot, reads, writes };
}

function versionOf(newest: Int32Array, key: number): number | null {
  const version = newest[key] ?? -1;
  return version < 0 ? null : version;
}

/** Seeded (xorshift), so that every run measures the same history. */
class Chance {
  #state: number;
  /** By key, the chance of it and of all before it. */
  readonly #sums = new Float64Array(keyCount);

  constructor(seed: number) {
    this.#state = seed;
    let sum = 0;
    for (let key = 0; key < keyCount; key += 1) this.#sums[key] = sum += 1 / (key + 1);
  }

  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  key(): number {
    const wanted = this.#next() * (this.#sums[keyCount - 1] ?? 1);
    let [low, high] = [0, keyCount - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) / 0x100000000;
  }
}
