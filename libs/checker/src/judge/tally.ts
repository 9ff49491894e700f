import { anomalies, type Anomaly, type BadRead, type Cycle } from "../judgement.ts";

/** What was found so far: counts of all, and the first and smallest of each as examples. */
export class Tally {
  readonly counts: Record<Anomaly, number>;
  readonly badReads: BadRead[] = [];
  components = 0;
  readonly #examples: number;
  #cycles: Cycle[] = [];

  constructor(examples: number) {
    this.#examples = examples;
    this.counts = Object.fromEntries(anomalies.map((anomaly) => [anomaly, 0])) as Record<Anomaly, number>;
  }

  count(anomaly: Anomaly, by = 1): void {
    this.counts[anomaly] += by;
  }

  addBadRead(read: BadRead): void {
    this.count(read.anomaly);
    if (this.badReads.length < this.#examples) this.badReads.push(read);
  }

  addCycles(cycles: readonly Cycle[]): void {
    const all = [...this.#cycles, ...cycles];
    this.#cycles = all.toSorted((a, b) => a.transactions.length - b.transactions.length).slice(0, this.#examples);
  }

  get cycles(): readonly Cycle[] {
    return this.#cycles;
  }
}
