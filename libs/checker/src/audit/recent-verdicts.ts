import type { Digest, Offset } from "@seriatim/protocol";

const capacity = 2 ** 20;

/** The chain hashes of the last million verdicts, 48 bits of each: sequencers that are further apart are a rarity. */
export class RecentVerdicts {
  #offsets = new Float64Array(1024);
  #hashes = new Float64Array(1024);
  #count = 0;

  /** @param offset above those before it. */
  add(offset: Offset, chain: Digest): void {
    if (this.#count === this.#offsets.length && this.#count < capacity) {
      this.#offsets = doubled(this.#offsets);
      this.#hashes = doubled(this.#hashes);
    }
    const at = this.#count % this.#offsets.length;
    this.#offsets[at] = offset;
    this.#hashes[at] = prefixOf(chain);
    this.#count += 1;
  }

  /** Whether the verdict at `offset` had this chain hash; undefined when it is no longer remembered. */
  has(offset: Offset, chain: Digest): boolean | undefined {
    let low = Math.max(0, this.#count - this.#offsets.length);
    let high = this.#count - 1;
    if (this.#count === 0 || offset < this.#offsetOf(low)) return undefined;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#offsetOf(middle) < offset) low = middle + 1;
      else high = middle;
    }
    return this.#offsetOf(low) === offset && this.#hashes[low % this.#hashes.length] === prefixOf(chain);
  }

  #offsetOf(row: number): Offset {
    return this.#offsets[row % this.#offsets.length] ?? Infinity;
  }
}

function doubled(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(numbers.length * 2);
  wider.set(numbers);
  return wider;
}

function prefixOf(chain: Digest): number {
  let value = 0;
  for (let index = 0; index < 6; index += 1) value = value * 256 + chain.charCodeAt(index);
  return value;
}
