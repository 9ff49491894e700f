import type { ForeignTransaction, Operation, Predicate, Value } from "../../history.ts";

/** What a transaction read that it had not written itself. */
export type OutsideRead =
  | { readonly kind: "value"; readonly key: string; readonly value: Value | null }
  | { readonly kind: "list"; readonly key: string; readonly values: readonly Value[] }
  | {
      readonly kind: "predicate";
      readonly predicate: Predicate;
      readonly found: ReadonlyMap<string, Value>;
      /** Keys that the transaction had written by then: what it found of them is its own. */
      readonly own: ReadonlySet<string>;
    };

/** A read that does not show what the same transaction had written. */
export interface InternalFault {
  readonly key: string;
  readonly value: Value | null;
}

/** A transaction as others see it: what it read of theirs, what it left, and what it overwrote itself. */
export interface Steps {
  readonly reads: readonly OutsideRead[];
  /** By key, the value left last; null where it was deleted. */
  readonly writes: ReadonlyMap<string, Value | null>;
  /** By key, values written and overwritten within the transaction. */
  readonly intermediate: ReadonlyMap<string, readonly (Value | null)[]>;
  /** By key, the elements appended, in order. */
  readonly appends: ReadonlyMap<string, readonly Value[]>;
  readonly faults: readonly InternalFault[];
}

export function stepsOf(transaction: ForeignTransaction): Steps {
  const steps = new StepReader();
  for (const operation of transaction.operations) steps.take(operation);
  return steps;
}

class StepReader implements Steps {
  readonly reads: OutsideRead[] = [];
  readonly writes = new Map<string, Value | null>();
  readonly intermediate = new Map<string, (Value | null)[]>();
  readonly appends = new Map<string, Value[]>();
  readonly faults: InternalFault[] = [];

  take(operation: Operation): void {
    switch (operation.kind) {
      case "read":
        this.#read(operation.key, operation.value);
        break;
      case "write":
        this.#write(operation.key, operation.value);
        break;
      case "append":
        push(this.appends, operation.key, operation.value);
        break;
      case "read_list":
        this.#readList(operation.key, operation.values);
        break;
      case "read_predicate":
        this.#readPredicate(operation.predicate, operation.found);
        break;
    }
  }

  #read(key: string, value: Value | null): void {
    const own = this.writes.get(key);
    if (own === undefined) this.reads.push({ kind: "value", key, value });
    else if (own !== value) this.faults.push({ key, value });
  }

  #write(key: string, value: Value | null): void {
    const own = this.writes.get(key);
    if (own !== undefined) push(this.intermediate, key, own);
    this.writes.set(key, value);
  }

  /** What was appended before the read stands at the end of what was read. */
  #readList(key: string, values: readonly Value[]): void {
    const own = this.appends.get(key) ?? [];
    const others = values.length - own.length;
    if (own.every((value, at) => values[others + at] === value))
      this.reads.push({ kind: "list", key, values: values.slice(0, others) });
    else this.faults.push({ key, value: own.at(-1) ?? null });
  }

  #readPredicate(predicate: Predicate, found: ReadonlyMap<string, Value>): void {
    this.reads.push({ kind: "predicate", predicate, found, own: new Set(this.writes.keys()) });
    for (const [key, value] of this.writes) {
      const expected = value !== null && predicate.matches(value) ? value : undefined;
      if (found.get(key) !== expected) this.faults.push({ key, value: found.get(key) ?? null });
    }
  }
}

export function push<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
