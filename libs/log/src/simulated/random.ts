/**
 * A stream of numbers that a seed determines (xoshiro128**, seeded by splitmix32). For simulations only: it can be
 * predicted.
 */
export class Random {
  readonly #state: Uint32Array;

  /** `seed` counts modulo 2^32. */
  constructor(seed: number) {
    let mixed = seed >>> 0;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      mixed = (mixed + 0x9e37_79b9) >>> 0;
      let word = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
      word = Math.imul(word ^ (word >>> 13), 0xc2b2_ae35);
      return word ^ (word >>> 16);
    });
  }

  /** An integer in [0, 2^32). */
  word(): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.#state;
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const mixedC = c ^ a;
    const mixedD = d ^ b;
    this.#state.set([a ^ mixedD, b ^ mixedC, mixedC ^ (b << 9), rotateLeft(mixedD, 11)]);
    return result;
  }

  /** An integer in [0, limit); 0 when `limit` is 0. At most 2^32. */
  below(limit: number): number {
    return Math.floor((this.word() / 2 ** 32) * limit);
  }

  /** True with the probability given. */
  chance(probability: number): boolean {
    return this.word() < probability * 2 ** 32;
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
