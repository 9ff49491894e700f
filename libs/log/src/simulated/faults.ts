import type { Random } from "./random.ts";

export const faultNames = [
  /** An append takes virtual time, before it lands and before it answers, so that appends overtake each other. */
  "delayAppend",
  /** A fetch takes virtual time. */
  "delayRead",
  /** A fetch brings fewer records than there are. */
  "splitRead",
  /** Some records of an append stand in the log a second time, after the others. */
  "repeat",
  /** Only a prefix of an append lands, possibly nothing, and the call fails with `unknown_outcome`. */
  "cut",
  /** The append lands, and the call fails with `unknown_outcome`. */
  "unknown",
  /** Nothing lands, and the call fails with `unavailable`. */
  "unavailable",
  /** An offset after the append stays empty, as a control record's does. */
  "hole",
  /** The log's clock goes back. */
  "stepBack",
  /** The last records of the partition are gone before the append lands. */
  "truncate",
  /** All partitions are emptied before the append lands. */
  "recreate",
] as const;

export type Fault = (typeof faultNames)[number];

/** The probability of each fault, 0 to 1, at each occasion for it. A fault that is not named never fires by itself. */
export type FaultRates = { [fault in Fault]?: number };

/** Decides which faults happen, and counts them. */
export class Faults {
  /** May be changed at any time. */
  rates: FaultRates;
  /** How often each fault has fired. */
  readonly fired = Object.fromEntries(faultNames.map((fault) => [fault, 0])) as Record<Fault, number>;
  readonly #due = new Map<Fault, number>();
  readonly #random: Random;

  constructor(random: Random, rates: FaultRates) {
    this.#random = random;
    this.rates = rates;
  }

  /** Lets `fault` fire at its next occasions, as many as `times`, whatever its rate. */
  inject(fault: Fault, times = 1): void {
    this.#due.set(fault, (this.#due.get(fault) ?? 0) + times);
  }

  /** Whether `fault` fires on this occasion. */
  fires(fault: Fault): boolean {
    const due = this.#due.get(fault) ?? 0;
    const rate = this.rates[fault] ?? 0;
    if (due > 0) this.#due.set(fault, due - 1);
    else if (rate === 0 || !this.#random.chance(rate)) return false;
    this.fired[fault] += 1;
    return true;
  }
}
