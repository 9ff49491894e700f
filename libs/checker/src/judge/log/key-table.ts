import type { Key, KeyRange, Offset } from "@seriatim/protocol";
import { KeyOrder } from "./key-order.ts";

/** No version of the key is known. */
export const noVersion = -1;

/** The newest version of each key so far, and no more than that: what a stream of transactions is held against. */
export class KeyTable {
  readonly #ids = new Map<Key, number>();
  readonly #newest: number[] = [];
  readonly #deleted: boolean[] = [];
  readonly #tainted: boolean[] = [];
  /** By key that was ever deleted: the offsets at which it came to be and ceased to be, by turns. */
  readonly #lives = new Map<number, Offset[]>();
  readonly #born: number[] = [];
  #taintedKeys = 0;
  #order: KeyOrder | undefined;

  find(key: Key): number | undefined {
    return this.#ids.get(key);
  }

  newest(id: number): Offset {
    return this.#newest[id] ?? noVersion;
  }

  deleted(id: number): boolean {
    return this.#deleted[id] ?? false;
  }

  tainted(id: number): boolean {
    return this.#tainted[id] ?? false;
  }

  /** The offset that created what is there now, or was there last. */
  born(id: number): Offset {
    return this.#born[id] ?? noVersion;
  }

  /** When the life of the key that holds `offset` began; undefined when the key was absent then. */
  lifeAt(id: number, offset: Offset): Offset | undefined {
    const lives = this.#lives.get(id);
    if (lives === undefined) {
      const born = this.born(id);
      return born !== noVersion && born <= offset ? born : undefined;
    }
    let turn = lives.length;
    while (turn > 0 && (lives[turn - 1] ?? 0) > offset) turn -= 1;
    return turn % 2 === 1 ? lives[turn - 1] : undefined;
  }

  /** Whether the version `offset` of a key made it exist. */
  isBirth(key: Key, offset: Offset): boolean {
    const id = this.#ids.get(key);
    if (id === undefined) return false;
    const lives = this.#lives.get(id);
    return lives === undefined ? this.born(id) === offset : lives.some((turn, at) => at % 2 === 0 && turn === offset);
  }

  /** Notes a version of a key that is older than all else that is known of it; `noVersion` when it was absent. */
  addInitial(key: Key, version: Offset): void {
    const id = this.#add(key);
    this.#newest[id] = version;
    this.#deleted[id] = version === noVersion;
    this.#born[id] = version;
    this.#order?.add(key, id);
  }

  write(key: Key, version: Offset, deleted: boolean, tainted: boolean): void {
    const known = this.#ids.get(key);
    const id = known ?? this.#add(key);
    const wasAbsent = known === undefined || this.deleted(id);
    if (deleted !== wasAbsent) this.#turn(id, version, deleted);
    if (tainted !== this.tainted(id)) this.#taintedKeys += tainted ? 1 : -1;
    this.#newest[id] = version;
    this.#deleted[id] = deleted;
    this.#tainted[id] = tainted;
    if (known === undefined) this.#order?.add(key, id);
    else this.#order?.touch(key, id);
  }

  changedAfter(range: KeyRange, offset: Offset): boolean {
    return this.#ordered().changedAfter(range, offset);
  }

  anyTainted(range: KeyRange): boolean {
    return this.#taintedKeys > 0 && this.#ordered().anyTainted(range);
  }

  #add(key: Key): number {
    const id = this.#newest.length;
    this.#ids.set(key, id);
    this.#newest.push(noVersion);
    this.#deleted.push(true);
    this.#tainted.push(false);
    this.#born.push(noVersion);
    return id;
  }

  #turn(id: number, version: Offset, deleted: boolean): void {
    const lives = this.#lives.get(id);
    if (lives !== undefined) lives.push(version);
    else if (deleted) this.#lives.set(id, [this.born(id), version]);
    if (!deleted) this.#born[id] = version;
  }

  /** Made when the first range is read: a history of points has no need of it. */
  #ordered(): KeyOrder {
    this.#order ??= new KeyOrder(this, this.#ids);
    return this.#order;
  }
}
