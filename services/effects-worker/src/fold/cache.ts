import type { EffectsStore } from "../store/effects-store.ts";
import {
  blankRow,
  isOpenRow,
  keyOf,
  mergedRow,
  storedState,
  type EffectId,
  type Position,
  type Row,
} from "../store/row.ts";

/**
 * The effects of one partition as they are after what was read last; what was changed stands in memory until it is
 * stored. The logs are the truth: what is lost here is read again.
 */
export class EffectsCache {
  readonly #store: EffectsStore;
  readonly #partition: number;
  readonly #changed = new Map<string, Row>();

  constructor(store: EffectsStore, partition: number) {
    this.#store = store;
    this.#partition = partition;
  }

  /** How many rows are not stored yet. */
  get size(): number {
    return this.#changed.size;
  }

  /** One that nothing is known of is blank. */
  get(id: EffectId): Row {
    return this.#changed.get(keyOf(id)) ?? this.#store.get(id) ?? blankRow(id);
  }

  /** With what another process may have stored of it meanwhile. */
  getStored(id: EffectId): Row {
    const [changed, stored] = [this.#changed.get(keyOf(id)), this.#store.get(id)];
    if (changed === undefined || stored === undefined) return changed ?? stored ?? blankRow(id);
    return mergedRow(stored, changed);
  }

  put(row: Row): void {
    this.#changed.set(keyOf(row), row);
  }

  /** All that one intents record brought about. */
  at(offset: number): Row[] {
    const rows = new Map(this.#store.at(this.#partition, offset).map((row) => [keyOf(row), row]));
    for (const [key, row] of this.#changed) if (row.offset === offset) rows.set(key, row);
    return [...rows.values()].toSorted(inLogOrder);
  }

  /** What is still to be done, in log order. */
  *open(): Iterable<Row> {
    yield* this.#merged(this.#store.open(this.#partition), isOpenRow);
  }

  /** What is not done, in log order. */
  *unfinished(): Iterable<Row> {
    yield* this.#merged(this.#store.unfinished(this.#partition), (row) => storedState(row) !== "done");
  }

  /** Everything, in log order. */
  *all(): Iterable<Row> {
    yield* this.#merged(this.#store.all(this.#partition), () => true);
  }

  /** Stores what was changed until now, and how far was read until now. */
  async flush(position: Position): Promise<void> {
    const rows = [...this.#changed];
    await this.#store.store(
      this.#partition,
      rows.map(([, row]) => row),
      position,
    );
    for (const [key, row] of rows) if (this.#changed.get(key) === row) this.#changed.delete(key);
  }

  *#merged(stored: Iterable<Row>, isWanted: (row: Row) => boolean): Iterable<Row> {
    const unstored = [...this.#changed.values()].filter(isWanted).toSorted(inLogOrder);
    let next = 0;
    for (const row of stored) {
      for (let other = unstored[next]; other !== undefined && inLogOrder(other, row) < 0; other = unstored[next]) {
        yield other;
        next += 1;
      }
      if (!this.#changed.has(keyOf(row))) yield row;
    }
    yield* unstored.slice(next);
  }
}

function inLogOrder(one: Row, other: Row): number {
  return one.offset - other.offset || one.index - other.index;
}
