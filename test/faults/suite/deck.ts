import { Random } from "@seriatim/log";

/** What may be done to a space at work, and how many of these each deck has. */
const cards = {
  "kill agent": 1,
  "kill sequencer": 2,
  "kill worker": 1,
  "kill viewer": 1,
  "kill broker": 1,
  "restart broker": 1,
  "pause agent": 1,
  "pause sequencer": 1,
  "pause worker": 1,
  "pause broker": 1,
  "delete view": 1,
  "delete group": 1,
  "jump clock": 1,
  "cut network": 1,
  "refuse network": 1,
  "slow network": 1,
  "lossy network": 1,
} as const;

export type Fault = keyof typeof cards;
export const faults = Object.keys(cards) as Fault[];

export interface Card {
  readonly fault: Fault;
  /** After how many further acknowledgements. */
  readonly after: number;
  /** How long a pause, or a fault of the network, lasts at least, in ms: also longer than the group's session (6 s). */
  readonly lasts: number;
  /** Picks one of several. */
  readonly pick: number;
}

/**
 * Faults without end, which the seed determines. They are dealt from one shuffled deck after another, so that whoever
 * has seen as many as a deck has has seen each kind.
 */
export class Deck {
  readonly size: number;
  readonly #random: Random;
  readonly #kinds: readonly Fault[];
  #left: Fault[] = [];

  /** @param without kinds that cannot be had here */
  constructor(seed: number, without: ReadonlySet<Fault>) {
    this.#random = new Random(seed);
    this.#kinds = faults
      .filter((fault) => !without.has(fault))
      .flatMap((fault) => Array<Fault>(cards[fault]).fill(fault));
    this.size = this.#kinds.length;
  }

  next(): Card {
    if (this.#left.length === 0) this.#left = [...this.#kinds];
    const random = this.#random;
    const [fault = "kill agent"] = this.#left.splice(random.below(this.#left.length), 1);
    return { fault, after: 1 + random.below(20), lasts: 1_000 + random.below(9_000), pick: random.word() };
  }
}
