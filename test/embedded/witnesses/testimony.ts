import type { Coordinator, Item, Range, RunResult, ScanOptions, Transaction } from "@seriatim/client";
import { isFailure, type Isolation } from "@seriatim/protocol";

/** What a Failure says where more was read than an intent of the space may say. */
const atLimit = "which is the limit of this space";

interface Moment {
  /** How many writes the function had made when it asked, and when it was answered. */
  readonly asked: number;
  readonly answered: number;
  /** How far the view had come then. */
  readonly from: number;
  readonly to: number;
}

/** What a read was answered; null where something could not be read, which is an answer too. */
export type Seen = { readonly when: Moment } & (
  | { readonly kind: "get"; readonly keys: readonly string[]; readonly got: readonly Item[] | null }
  | ({ readonly kind: "scan"; readonly range: Range; readonly got: readonly Item[] | null } & ScanOptions)
  | { readonly kind: "count"; readonly range: Range; readonly got: number }
);

/** All that one call of a transaction's function was told, and what it wrote. It stands in JSON. */
export interface Testimony {
  /** What the function returned, so that the intent tells which call of it was its own. */
  readonly token: string;
  readonly isolation: Isolation;
  readonly seen: readonly Seen[];
  /** In order; null deletes. */
  readonly written: readonly { readonly key: string; readonly value: string | null }[];
  /** The snapshots that it was told, with their times. */
  readonly told: readonly { readonly offset: number; readonly time: number }[];
}

/** What became of a run, as its caller was told. */
export interface Told {
  /** With which the tokens of its calls begin. */
  readonly run: string;
  /** Of the call that committed; undefined where none did, as far as the caller knows. */
  readonly token?: string;
  /** Undefined also where there was nothing to decide. */
  readonly offset?: number;
  readonly repeated?: boolean;
  /** It was refused, or failed in such a way that nothing was written. */
  readonly isVoid?: true;
  /** The refusal is for what no client of ours may ask for. */
  readonly isInvalid?: true;
}

/** What stood at a version, as somebody was told outside of any transaction. */
export interface Glimpse {
  readonly range: Range;
  readonly at: number;
  readonly got: readonly (Item & { readonly version: number })[] | null;
}

/** All that the participants of a space say. */
export interface Statements {
  readonly testimonies: readonly Testimony[];
  readonly told: readonly Told[];
  readonly glimpses: readonly Glimpse[];
}

export function together(all: readonly Statements[]): Statements {
  return {
    testimonies: all.flatMap(({ testimonies }) => testimonies),
    told: all.flatMap(({ told }) => told),
    glimpses: all.flatMap(({ glimpses }) => glimpses),
  };
}

export function toldOf(run: string, result: RunResult<string>): Told {
  if (result.outcome === "refused")
    return { run, isVoid: true, ...(result.refusal.code === "invalid" ? { isInvalid: true } : {}) };
  const { value: token, version, repeated } = result;
  return { run, token, repeated, ...(version === undefined ? {} : { offset: version.offset }) };
}

/** Passes on to a transaction what its function does, and notes what it was told. */
export class Witness {
  readonly testimony: Testimony;
  readonly tx: Transaction;
  readonly #seen: Seen[] = [];
  readonly #written: { key: string; value: string | null }[] = [];
  readonly #told: { offset: number; time: number }[] = [];
  readonly #coordinator: Pick<Coordinator, "positions">;

  constructor(tx: Transaction, coordinator: Pick<Coordinator, "positions">, token: string, isolation: Isolation) {
    this.tx = tx;
    this.#coordinator = coordinator;
    this.testimony = { token, isolation, seen: this.#seen, written: this.#written, told: this.#told };
  }

  /** Of one key by `get`, of several by `getMany`. */
  get(keys: readonly string[]): Promise<void> {
    return this.#note(async () => ({ kind: "get", keys, got: await readable(this.#got(keys)) }));
  }

  scan(range: Range, options: ScanOptions): Promise<void> {
    return this.#note(async () => ({
      kind: "scan",
      range,
      ...options,
      got: await readable(this.tx.scan(range, options)),
    }));
  }

  count(range: Range): Promise<void> {
    return this.#note(async () => ({ kind: "count", range, got: await this.tx.count(range) }));
  }

  put(key: string, blind: boolean): void {
    const value = `${this.testimony.token}#${this.#written.length}`;
    this.tx.put(key, value, { blind });
    this.#written.push({ key, value });
  }

  delete(key: string, blind: boolean): void {
    this.tx.delete(key, { blind });
    this.#written.push({ key, value: null });
  }

  /** Asks for the snapshot, once something was touched. */
  askTime(): void {
    this.#told.push({ offset: this.tx.snapshot.offset, time: this.tx.time.getTime() });
  }

  async #got(keys: readonly string[]): Promise<Item[]> {
    const [key = ""] = keys;
    if (keys.length > 1) return Array.from(await this.tx.getMany(keys), ([each, value]) => ({ key: each, value }));
    const value = await this.tx.get(key);
    return value === undefined ? [] : [{ key, value }];
  }

  async #note(read: () => Promise<Omit<Seen, "when">>): Promise<void> {
    const asked = this.#written.length;
    const from = this.#applied;
    const seen = await unless(
      (error) => isFailure(error, "invalid_argument") && error.message.includes(atLimit),
      read(),
    );
    // More was read than an intent may say: the function was told nothing.
    if (seen === null) return;
    const when = { asked, answered: this.#written.length, from, to: this.#applied };
    this.#seen.push({ ...(seen as Seen), when });
  }

  get #applied(): number {
    return this.#coordinator.positions()[0]?.offset ?? -1;
  }
}

/** Null for what somebody wrote by other means. */
export function readable<T>(answer: Promise<T>): Promise<T | null> {
  return unless((error) => isFailure(error, "unreadable"), answer);
}

async function unless<T>(isExpected: (error: unknown) => boolean, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isExpected(error)) return null;
    throw error;
  }
}
