import type { Handlers } from "@seriatim/effects";
import { assert, Failure, fromBytes, inRange } from "@seriatim/protocol";
import type { Genesis, Isolation, Key, KeyRange, Limits, Offset, Submit, Version } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { keyWithin, timeOf, valueWithin } from "./arguments.ts";
import { changesSince } from "./changes.ts";
import { EffectSet } from "./effect-set.ts";
import { nameOfRange } from "./contention.ts";
import type { Memo } from "./memo.ts";
import { mergedCount } from "./merged-count.ts";
import { mergedScan, type MergedScanOptions, type Row } from "./merged-scan.ts";
import { Placement } from "./placement.ts";
import { coveredRange, toRange, toScanOptions } from "./ranges.ts";
import { ReadSet } from "./read-set.ts";
import type { Change } from "./result.ts";
import type { Space } from "./space.ts";
import type { Standing } from "./standing.ts";
import type { HeldCalls, PlannedCall } from "./held-calls.ts";
import { plannedCompensable, plannedImmediate } from "./planned-calls.ts";
import type {
  CompensableOptions,
  DeferOptions,
  ImmediateOptions,
  Item,
  Range,
  ScanOptions,
  Transaction,
  WriteOptions,
} from "./transaction.ts";
import { decodeValue } from "./values.ts";
import { breathe } from "./waiting.ts";
import { Watch } from "./watch.ts";
import { WriteSet } from "./write-set.ts";

export interface OpeningOptions {
  readonly agent: string;
  readonly attempt: number;
  readonly isolation: Isolation;
  readonly partitionKey: string | undefined;
  /** The offset up to which each partition was applied when the transaction began. */
  readonly snapshots: readonly Offset[];
  readonly memo: Memo;
  readonly signal: AbortSignal | undefined;
  readonly standing: Standing;
  readonly calls: HeldCalls;
  readonly handlers: Handlers | undefined;
  /** Newer snapshots for the same attempt; undefined where it has to keep its own. */
  readonly renew: () => readonly Offset[] | undefined;
}

/** The part of an intent that a transaction's function has made. */
export type Draft = Pick<
  Submit,
  "partition" | "snapshot" | "points" | "ranges" | "writes" | "effects" | "holds" | "validFrom" | "validUntil"
>;

/** Keys read at once without letting the event loop go round. */
const keysAtOnce = 250;

/** A transaction whose function is running: it serves reads from the view and records what was read and written. */
export class OpenTransaction implements Transaction {
  readonly agent: string;
  readonly attempt: number;
  readonly memo: Transaction["memo"];
  readonly #isolation: Isolation;
  readonly #genesis: Genesis;
  readonly #view: View;
  readonly #placement: Placement;
  #snapshots: Offset[];
  readonly #reads: ReadSet;
  readonly #writes: WriteSet;
  readonly #effects: EffectSet;
  readonly #watch: Watch;
  readonly #standing: Standing;
  readonly #calls: HeldCalls;
  readonly #handlers: Handlers | undefined;
  readonly #renew: OpeningOptions["renew"];
  /** The function has been told of the snapshot, or something was read at it: a range that is still being read, too. */
  #isSnapshotUsed = false;
  #validFrom: number | null = null;
  #validUntil: number | null = null;
  #ended = false;

  constructor(space: Space, options: OpeningOptions) {
    this.agent = options.agent;
    this.attempt = options.attempt;
    this.#isolation = options.isolation;
    this.#genesis = space.genesis;
    this.#view = space.view;
    this.#placement = new Placement(space.genesis, options.partitionKey);
    this.#snapshots = [...options.snapshots];
    this.#reads = new ReadSet(space.genesis.limits);
    this.#writes = new WriteSet(space.genesis.limits);
    this.#effects = new EffectSet(space.genesis.limits, options.handlers);
    this.#watch = new Watch(
      space,
      {
        isolation: options.isolation,
        reads: this.#reads,
        writes: this.#writes,
        partition: () => this.#placement.partition,
        snapshotOf: (partition) => this.#snapshotOf(partition),
      },
      options.signal,
    );
    this.#standing = options.standing;
    this.#calls = options.calls;
    this.#handlers = options.handlers;
    this.#renew = options.renew;
    const remember = options.memo.forAttempt();
    this.memo = async (inputs, fn) => {
      this.#checkOpen();
      return remember(inputs, fn);
    };
  }

  get #limits(): Limits {
    return this.#genesis.limits;
  }

  get signal(): AbortSignal {
    return this.#watch.signal();
  }

  get snapshot(): Version {
    this.#isSnapshotUsed = true;
    const partition = this.#partition();
    return { partition, offset: this.#snapshotOf(partition) };
  }

  get time(): Date {
    const { partition, offset } = this.snapshot;
    return new Date(this.#view.timeAt(partition, offset));
  }

  async get<T>(key: string): Promise<T | undefined> {
    this.#checkOpen();
    const bytes = keyWithin(key, this.#limits);
    await this.#turn([bytes], this.#placement.touchKey(bytes));
    return this.#read(bytes) as T | undefined;
  }

  async getMany<T>(keys: Iterable<string>): Promise<Map<string, T>> {
    this.#checkOpen();
    const texts = new Map(Array.from(keys, (text) => [text, keyWithin(text, this.#limits)]));
    const partition = this.#touchAll(texts.values());
    if (partition !== undefined) await this.#turn([...texts.values()], partition);
    const found = new Map<string, T>();
    let count = 0;
    for (const [text, key] of texts) {
      const value = this.#read(key) as T | undefined;
      if (value !== undefined) found.set(text, value);
      count += 1;
      if (count % keysAtOnce === 0) {
        await breathe();
        this.#checkOpen();
      }
    }
    return found;
  }

  async scan<T>(range: Range, options: ScanOptions = {}): Promise<Item<T>[]> {
    const items: Item<T>[] = [];
    const take = ({ key, value }: Row) => items.push({ key: fromBytes(key), value: decodeValue(value, key) as T });
    await this.#scan(range, toScanOptions(options), take);
    return items;
  }

  async count(range: Range): Promise<number> {
    this.#checkOpen();
    const bounds = toRange(range, this.#limits.keyBytes);
    const partition = this.#placement.touchRange(bounds);
    await this.#turn([nameOfRange(bounds)], partition);
    const at = this.#readAt(partition);
    const own = this.#writes.within(bounds);
    const count = await mergedCount(this.#view, bounds, at, own, () => this.#checkOpen());
    this.#record(bounds);
    return count;
  }

  changes(): Change[] {
    this.#checkOpen();
    const { partition } = this.#placement;
    if (partition === undefined) return [];
    const { points, ranges } = this.#reads;
    const grounds = { points, ranges, snapshot: this.#snapshotOf(partition) };
    const { conflicts: most } = this.#limits;
    return changesSince({
      view: this.#view,
      partition,
      grounds,
      writes: this.#writes.writes,
      isolation: this.#isolation,
      most,
    });
  }

  put(key: string, value: unknown, options: WriteOptions = {}): void {
    this.#checkOpen();
    const bytes = keyWithin(key, this.#limits);
    this.#write(bytes, valueWithin(bytes, value, this.#limits), options);
  }

  delete(key: string, options: WriteOptions = {}): void {
    this.#checkOpen();
    this.#write(keyWithin(key, this.#limits), null, options);
  }

  defer(name: string, args: unknown, options: DeferOptions = {}): void {
    this.#checkOpen();
    this.#effects.defer(name, args, options);
  }

  async compensable<T>(name: string, args: unknown, options: CompensableOptions): Promise<T> {
    this.#checkOpen();
    return this.#call<T>(plannedCompensable(this.#limits, this.#handlers, name, args, options));
  }

  async immediate<T>(name: string, args: unknown, options: ImmediateOptions = {}): Promise<T> {
    this.#checkOpen();
    return this.#call<T>(plannedImmediate(this.#limits, this.#handlers, name, args, options));
  }

  async #call<T>(call: PlannedCall): Promise<T> {
    const partition = this.#partition();
    const result = this.#calls.call(call, { partition, snapshot: this.#snapshotOf(partition) });
    return (await result) as T;
  }

  validUntil(time: Date | number): void {
    this.#checkOpen();
    this.#validUntil = Math.min(timeOf(time, "validUntil"), this.#validUntil ?? Number.POSITIVE_INFINITY);
  }

  validFrom(time: Date | number): void {
    this.#checkOpen();
    this.#validFrom = Math.max(timeOf(time, "validFrom"), this.#validFrom ?? Number.NEGATIVE_INFINITY);
  }

  /** The function has returned or thrown: from here on nothing can be added. */
  end(): void {
    this.#ended = true;
    this.#watch.stop();
    this.#calls.end();
  }

  /** Where it is known that this transaction cannot commit: the key that others have written since. */
  get overwritten(): Key | undefined {
    return this.#watch.overwritten;
  }

  /** What this transaction has read so far that holds the key, by the names under which it is contended for. */
  namesAround(key: Key): string[] {
    const ranges = this.#reads.ranges.filter((range) => inRange(key, range)).map(nameOfRange);
    return this.#reads.hasPoint(key) ? [key, ...ranges] : ranges;
  }

  /** Nothing was read, written, deferred or called: there is nothing to decide. */
  get isEmpty(): boolean {
    return this.#reads.isEmpty && this.#writes.isEmpty && this.#effects.isEmpty && !this.#calls.isUsed;
  }

  draft(): Draft {
    assert(this.#ended, "a draft was taken of a transaction that had not ended");
    const partition = this.#partition();
    return {
      partition,
      snapshot: this.#snapshotOf(partition),
      points: this.#reads.points,
      ranges: this.#reads.ranges,
      writes: this.#writes.writes,
      effects: this.#effects.effects,
      holds: this.#calls.confirmed,
      validFrom: this.#validFrom,
      validUntil: this.#validUntil,
    };
  }

  /** Before anything is read: waits where others are known to be about to write it, and reads what they have written. */
  async #turn(names: readonly string[], partition: number): Promise<void> {
    if (this.#isPinned) return;
    const name = this.#standing.wanted(names);
    if (name === undefined) return;
    await this.#standing.enter(name, { partition, offset: Infinity });
    this.#checkOpen();
    if (!this.#isPinned) this.#snapshots = [...(this.#renew() ?? this.#snapshots)];
  }

  /** The partition of all of them; undefined of none. */
  #touchAll(keys: Iterable<Key>): number | undefined {
    let partition: number | undefined;
    for (const key of keys) partition = this.#placement.touchKey(key);
    return partition;
  }

  /** Something rests on the snapshot. */
  get #isPinned(): boolean {
    return this.#isolation === "none" || this.#isSnapshotUsed || this.#calls.isUsed || !this.#writes.isEmpty;
  }

  #read(key: Key): unknown {
    const partition = this.#placement.touchKey(key);
    const own = this.#writes.get(key);
    if (own !== undefined) return own.value === null ? undefined : decodeValue(own.value, key);
    const entry = this.#view.get(key, this.#readAt(partition));
    this.#reads.addPoint(key, entry?.version ?? null);
    this.#watch.noteKey(key);
    return entry === undefined ? undefined : decodeValue(entry.value, key);
  }

  async #scan(range: Range, options: MergedScanOptions, take: (row: Row) => void): Promise<void> {
    this.#checkOpen();
    const bounds = toRange(range, this.#limits.keyBytes);
    const partition = this.#placement.touchRange(bounds);
    await this.#turn([nameOfRange(bounds)], partition);
    const at = this.#readAt(partition);
    let last: Key | undefined;
    let count = 0;
    try {
      for await (const page of mergedScan(this.#view, bounds, at, this.#writes.within(bounds), options)) {
        this.#checkOpen();
        for (const row of page) take(row);
        last = page.at(-1)?.key ?? last;
        count += page.length;
      }
    } catch (error) {
      // What cannot be read is an answer too, on which the function may go on.
      this.#record(bounds);
      throw error;
    }
    const isCutOff = last !== undefined && count >= options.limit;
    this.#record(isCutOff && last !== undefined ? coveredRange(bounds, last, options.reverse) : bounds);
  }

  #record(range: KeyRange): void {
    this.#reads.addRange(range);
    this.#watch.noteRange(range);
  }

  #write(key: Key, value: Uint8Array | null, { blind = false }: WriteOptions): void {
    this.#placement.touchKey(key);
    this.#writes.put(key, value, blind);
    this.#watch.noteKey(key);
  }

  /**
   * The snapshot; at level none the newest offset applied, which is the snapshot from then on, until something is held:
   * what an intent confirms stands above its snapshot.
   */
  #readAt(partition: number): Offset {
    if (this.#isolation === "none" && !this.#calls.isUsed) this.#snapshots[partition] = this.#view.applied(partition);
    this.#isSnapshotUsed = true;
    return this.#snapshotOf(partition);
  }

  #snapshotOf(partition: number): Offset {
    const offset = this.#snapshots[partition];
    assert(offset !== undefined, `no snapshot was taken of partition ${partition}`);
    return offset;
  }

  #partition(): number {
    const { partition } = this.#placement;
    if (partition !== undefined) return partition;
    throw new Failure(
      "invalid_argument",
      "this transaction has touched no key yet, so that it belongs to none of the space's partitions; " +
        "read or write a key first, or give run a partitionKey",
    );
  }

  #checkOpen(): void {
    if (this.#ended)
      throw new Failure(
        "invalid_argument",
        "the transaction has ended: its function has returned or thrown; await everything that uses tx inside of the function",
      );
  }
}
