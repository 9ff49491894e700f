import type { ForeignHistory, HistoryTransaction, Status, Value } from "../../history.ts";
import { push, stepsOf, type Steps } from "./steps.ts";

/** A transaction with its steps; a node of the graph when it counts. */
export interface Participant {
  readonly transaction: HistoryTransaction;
  readonly status: Status;
  readonly steps: Steps;
}

/** Who wrote a value, and whether it overwrote it itself. */
export interface Writer {
  readonly participant: Participant;
  readonly isIntermediate: boolean;
}

const nobody: readonly Writer[] = [];

/** Who wrote what in a history, and whose work counts: what committed, and what is of unknown outcome but was read. */
export class Participants {
  /** Those that count; the place of each is its node. */
  readonly counted: readonly Participant[];
  /** Whether nobody in the history writes: then its readers saw the work of others, who are made up. */
  readonly isReadOnly: boolean;
  readonly #values = new Map<string, Map<Value | null, Writer[]>>();
  readonly #elements = new Map<string, Map<Value, Writer[]>>();
  readonly #nodes = new Map<Participant, number>();

  constructor(history: ForeignHistory) {
    const all = history.transactions.map((transaction) => ({
      transaction,
      status: transaction.status,
      steps: stepsOf(transaction),
    }));
    for (const participant of all) this.#index(participant);
    this.isReadOnly = this.#values.size === 0 && this.#elements.size === 0;
    const outside = this.isReadOnly ? outsideWriters(all) : [];
    for (const participant of outside) this.#index(participant);
    const committed = all.filter(({ status }) => status === "committed");
    this.counted = [...committed, ...this.#observedBy(committed), ...outside];
    for (const [node, participant] of this.counted.entries()) this.#nodes.set(participant, node);
  }

  nodeOf(participant: Participant): number | undefined {
    return this.#nodes.get(participant);
  }

  writersOf(key: string, value: Value | null): readonly Writer[] {
    return this.#values.get(key)?.get(value) ?? nobody;
  }

  /** Whether one of unknown outcome, which does not count, may have left such a value. */
  mayHaveLeft(key: string, fits: (value: Value | null) => boolean): boolean {
    for (const [value, writers] of this.#values.get(key) ?? [])
      if (fits(value) && writers.some((writer) => !writer.isIntermediate && this.#isOpen(writer.participant)))
        return true;
    return false;
  }

  #isOpen(participant: Participant): boolean {
    return participant.status === "indeterminate" && this.nodeOf(participant) === undefined;
  }

  appendersOf(key: string, value: Value): readonly Writer[] {
    return this.#elements.get(key)?.get(value) ?? nobody;
  }

  /** By key, those that left a value or a deletion there; by node. */
  writersByKey(): Map<string, number[]> {
    return this.#nodesBy(({ writes }) => writes.keys());
  }

  appendersByKey(): Map<string, number[]> {
    return this.#nodesBy(({ appends }) => appends.keys());
  }

  #nodesBy(keys: (steps: Steps) => Iterable<string>): Map<string, number[]> {
    const nodes = new Map<string, number[]>();
    for (const [node, { steps }] of this.counted.entries()) for (const key of keys(steps)) push(nodes, key, node);
    return nodes;
  }

  #index(participant: Participant): void {
    const { writes, intermediate, appends } = participant.steps;
    const add = <Item>(index: Map<string, Map<Item, Writer[]>>, key: string, value: Item, last: boolean): void => {
      const values = index.get(key) ?? new Map<Item, Writer[]>();
      index.set(key, values);
      push(values, value, { participant, isIntermediate: !last });
    };
    for (const [key, value] of writes) add(this.#values, key, value, true);
    for (const [key, values] of intermediate) for (const value of values) add(this.#values, key, value, false);
    for (const [key, values] of appends)
      for (const [at, value] of values.entries()) add(this.#elements, key, value, at === values.length - 1);
  }

  /** Those of unknown outcome that must have committed: a committed transaction saw what nobody else wrote. */
  #observedBy(committed: readonly Participant[]): Participant[] {
    const observed = new Set<Participant>();
    const see = (writers: readonly Writer[]): void => {
      if (writers.some(({ participant }) => participant.status === "committed")) return;
      for (const { participant } of writers) if (participant.status === "indeterminate") observed.add(participant);
    };
    for (const { steps } of committed)
      for (const read of steps.reads) {
        if (read.kind === "value" && read.value !== null) see(this.writersOf(read.key, read.value));
        if (read.kind === "list") for (const value of read.values) see(this.appendersOf(read.key, value));
        if (read.kind === "predicate") for (const [key, value] of read.found) see(this.writersOf(key, value));
      }
    return Array.from(observed);
  }
}

/** One for each value read: each is taken to be the work of a transaction of its own. */
function outsideWriters(all: readonly Participant[]): Participant[] {
  const written = new Map<string, Map<string, Value>>();
  for (const { steps } of all)
    for (const read of steps.reads)
      if (read.kind === "value" && read.value !== null)
        written.set(JSON.stringify([read.key, read.value]), new Map([[read.key, read.value]]));
  return Array.from(written.values(), (writes) => {
    const [[key, value] = ["", ""]] = writes;
    const transaction = {
      kind: "outside",
      name: `the writer of ${key} = ${value}`,
      partition: null,
      offset: null,
    } as const;
    const steps = { reads: [], writes, intermediate: new Map(), appends: new Map(), faults: [] };
    return { transaction, status: "committed", steps };
  });
}
