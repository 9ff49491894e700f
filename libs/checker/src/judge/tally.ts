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

  /** For what is found again in another graph of the same transactions. */
  atLeast(anomaly: Anomaly, count: number): void {
    this.counts[anomaly] = Math.max(this.counts[anomaly], count);
  }

  addBadRead(read: BadRead): void {
    this.count(read.anomaly);
    if (this.badReads.length < this.#examples) this.badReads.push(read);
  }

  /** The same cycle told again, of another graph, is not kept. */
  addCycles(cycles: readonly Cycle[]): void {
    const all = new Map([...this.#cycles, ...cycles].toReversed().map((cycle) => [identityOf(cycle), cycle]));
    const sorted = Array.from(all.values()).toReversed();
    this.#cycles = sorted.toSorted((a, b) => a.transactions.length - b.transactions.length).slice(0, this.#examples);
  }

  get cycles(): readonly Cycle[] {
    return this.#cycles;
  }
}

function identityOf({ transactions, dependencies }: Cycle): string {
  const names = transactions.map((transaction) =>
    transaction.kind === "logged" ? `${transaction.partition}@${transaction.offset}` : transaction.name,
  );
  return JSON.stringify([names, dependencies.map(({ kind, key }) => [kind, key])]);
}
