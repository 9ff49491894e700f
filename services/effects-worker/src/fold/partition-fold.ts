import type { LogRecord } from "@seriatim/log";
import {
  assert,
  claimsId,
  linkOf,
  type EffectRecord,
  type EffectsCodec,
  type Genesis,
  type Hash,
  type Offset,
  type Outcome,
  type RecordCodec,
  type Verdict,
} from "@seriatim/protocol";
import { apply, Lanes, type OwnCall, type Place } from "../core/index.ts";
import type { EffectsStore } from "../store/effects-store.ts";
import { isOpenRow, keyOf, laterOwn, type Definition, type EffectId, type Position, type Row } from "../store/row.ts";
import { EffectsCache } from "./cache.ts";
import { OpenHolds } from "./open-holds.ts";

export interface FoldOptions {
  readonly partition: number;
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly effectsCodec: EffectsCodec;
  readonly hash: Hash;
  readonly store: EffectsStore;
  /** An effect has come about, or a record has changed what is known of it. */
  readonly onChange: (row: Row, record: EffectRecord | undefined) => void;
}

/**
 * Folds the verdicts and the effects log of one partition, each in its order. What stands in the two need not be read in
 * one order: a record may be read before the verdict that the effect comes from, and means the same after it.
 */
export class PartitionFold {
  readonly lanes = new Lanes();
  readonly #options: FoldOptions;
  readonly #cache: EffectsCache;
  readonly #undos = new Map<string, EffectId>();
  readonly #holds = new OpenHolds();
  /** How many effects of each handler are still to be done. */
  readonly #openOf = new Map<string, number>();
  #position: Position;
  #isStored = true;

  constructor(options: FoldOptions) {
    const { store, partition } = options;
    this.#options = options;
    this.#cache = new EffectsCache(store, partition);
    this.#position = store.position(partition);
    for (const row of this.#cache.open()) this.#index(row);
  }

  get position(): Position {
    return this.#position;
  }

  /** How many changed effects are held in memory. */
  get unstored(): number {
    return this.#cache.size;
  }

  get(id: EffectId): Row {
    return this.#cache.get(id);
  }

  at(offset: number): Row[] {
    return this.#cache.at(offset);
  }

  /** What is not done, in log order. */
  unfinished(): Iterable<Row> {
    return this.#cache.unfinished();
  }

  /** Everything, in log order. */
  all(): Iterable<Row> {
    return this.#cache.all();
  }

  /** Inverses that are still to be done; they are in no lane. */
  get undos(): Iterable<EffectId> {
    return this.#undos.values();
  }

  /** Holds whose intents are still to be decided, in log order. */
  get holds(): Iterable<EffectId> {
    return this.#holds.all();
  }

  /** How many effects of each handler are still to be done. */
  get openByHandler(): ReadonlyMap<string, number> {
    return this.#openOf;
  }

  /** Folds records of the verdicts log. What does not follow on is passed over, as by every reader (invariant 3). */
  takeVerdicts(records: readonly LogRecord[]): void {
    const { codec, genesis, partition } = this.#options;
    for (const { offset: at, value } of records) {
      if (at < this.#position.nextVerdict) continue;
      const verdict = codec.decodeVerdict(value);
      const isOurs = verdict?.space === genesis.space && verdict.partition === partition;
      const { applied, chain } = this.#position;
      const isNext = isOurs && linkOf({ offset: applied, chain }, verdict) === "next";
      this.#advance({ nextVerdict: at + 1, ...(isNext ? { applied: verdict.offset, chain: verdict.chain, at } : {}) });
      if (isNext) this.#applyVerdict(verdict);
    }
  }

  /** Folds records of the effects log; what cannot be read, or is another partition's, says nothing. */
  takeEffects(records: readonly LogRecord[]): void {
    const { effectsCodec, partition, hash } = this.#options;
    for (const { offset, value } of records) {
      if (offset < this.#position.nextEffect) continue;
      this.#advance({ nextEffect: offset + 1 });
      const record = effectsCodec.decode(value);
      if (record?.partition === partition) this.#applyRecord(record, offset);
    }
    const last = records.at(-1);
    if (last !== undefined && last.offset + 1 === this.#position.nextEffect)
      this.#advance({ lastEffect: hash(last.value) });
  }

  /** Stores what was read. */
  async flush(): Promise<void> {
    if (this.#isStored) return;
    this.#isStored = true;
    try {
      await this.#cache.flush(this.#position);
    } catch (error) {
      this.#isStored = false;
      throw error;
    }
  }

  #advance(to: Partial<Position>): void {
    this.#position = { ...this.#position, ...to };
    this.#isStored = false;
  }

  #applyVerdict(verdict: Verdict): void {
    const { offset, id, outcome } = verdict;
    if (outcome.kind === "held") this.#hold(verdict, outcome);
    if (outcome.kind === "committed") this.#defer(verdict, outcome);
    // No submit can commit any more whose snapshot was taken before the hold: all are too old.
    const { window } = this.#options.genesis.limits;
    for (const hold of this.#holds.upTo(offset - window - 1)) this.#closeHold(hold, offset, false);
    if (id === null || !claimsId(outcome)) return;
    const confirmed = outcome.kind === "committed" ? outcome.holds : [];
    for (const hold of this.#holds.of(id)) this.#closeHold(hold, offset, confirmed.includes(hold.offset));
  }

  #defer({ offset, id, agent, time }: Verdict, { effects }: Extract<Outcome, { kind: "committed" }>): void {
    const { partition, hash } = this.#options;
    for (const [index, { name, lane, arguments: args }] of effects.entries()) {
      assert(id !== null, `the intent committed at ${offset} has no id`);
      const place = { partition, offset, index, side: "forward" as const, digest: hash(args) };
      this.#define(place, offset, { kind: "deferred", name, lane, intent: id, agent, time }, args);
    }
  }

  #hold({ offset, id, agent, time }: Verdict, outcome: Extract<Outcome, { kind: "held" }>): void {
    const { partition, hash } = this.#options;
    const { index, name, arguments: args, undo, deadline, timeout } = outcome;
    assert(id !== null, `the hold at ${offset} has no id`);
    const place = { partition, offset, index, side: "forward" as const, digest: hash(args) };
    const definition = { kind: "hold", name, undo, deadline, timeout, isOpen: true } as const;
    this.#define(place, offset, { ...definition, intent: id, agent, time }, args);
    // Another process may have stored its end already, which is not seen here then.
    const inverse = this.#cache.getStored({ ...place, side: "undo" });
    if (inverse.definition !== null) this.#put(withOwn(inverse, this.#cache.get(place).progress.own), undefined);
  }

  /** Its intent is decided: without a commit that confirms it, its inverse comes about. */
  #closeHold(hold: EffectId, offset: Offset, isConfirmed: boolean): void {
    const row = this.#cache.get(hold);
    const { definition, arguments: args, progress } = row;
    assert(definition?.kind === "hold" && args !== null, `a hold at ${hold.offset} is closed that there is not`);
    this.#define(hold, offset, { ...definition, isOpen: false }, args);
    this.#holds.close(hold, definition.intent);
    const { undo: name, intent, agent, time, timeout } = definition;
    if (isConfirmed || name === null) return;
    const undo = this.#cache.get({ ...hold, side: "undo" });
    const known = withOwn(undo, progress.own);
    if (undo.changed >= offset) return this.#put(known, undefined);
    const inverse: Definition = { kind: "undo", name, intent, agent, time, timeout };
    this.#put({ ...known, definition: inverse, changed: offset, arguments: args }, undefined);
  }

  /** Another process may have stored it already, from what it read of the same log: here it is news all the same. */
  #define(id: EffectId, changed: number, definition: Definition, args: Uint8Array): void {
    const before = this.#cache.get(id);
    if (before.changed >= changed) this.#tell(before, undefined);
    else this.#put({ ...before, definition, changed, arguments: args }, undefined);
  }

  #applyRecord(record: EffectRecord, offset: number): void {
    const { partition } = this.#options;
    const before = this.#cache.get({ partition, ...record.effect, digest: record.arguments });
    const progress = apply(before.progress, record, offset);
    this.#put(progress === before.progress ? before : { ...before, progress }, record);
    if (record.kind === "report" && record.claim === null) this.#tellInverse(before, progress.own, record);
  }

  /** What an agent says of its own call is of use to the inverse, where there is one. */
  #tellInverse({ partition, offset, index, digest }: Row, own: OwnCall | null, record: EffectRecord): void {
    const undo = this.#cache.get({ partition, offset, index, side: "undo", digest });
    if (undo.definition !== null) this.#put(withOwn(undo, own), record);
  }

  #put(row: Row, record: EffectRecord | undefined): void {
    this.#cache.put(row);
    this.#tell(row, record);
  }

  #tell(row: Row, record: EffectRecord | undefined): void {
    this.#index(row);
    if (row.definition !== null) this.#options.onChange(row, record);
  }

  /**
   * Notes whether it is among those that are still to be done. What another process has stored of verdicts that were not
   * read here is not noted: neither is what stands before it.
   */
  #index(row: Row): void {
    const { definition } = row;
    if (definition === null || (definition.kind !== "undo" && row.offset > this.#position.applied)) return;
    const isChanged = this.#note(row, definition);
    if (!isChanged) return;
    const count = (this.#openOf.get(definition.name) ?? 0) + (isOpenRow(row) ? 1 : -1);
    if (count === 0) this.#openOf.delete(definition.name);
    else this.#openOf.set(definition.name, count);
  }

  /** Whether it was not noted like that before. */
  #note(row: Row, definition: Definition): boolean {
    if (definition.kind === "deferred") {
      const place = placeOf(row, definition.lane);
      return isOpenRow(row) ? this.lanes.add(place) : this.lanes.close(place);
    }
    const key = keyOf(row);
    if (definition.kind === "hold") {
      if (isOpenRow(row)) this.#holds.add(row, definition.intent);
      else this.#holds.close(row, definition.intent);
      return false;
    }
    if (isOpenRow(row) === this.#undos.has(key)) return false;
    const { partition, offset, index, side, digest } = row;
    if (isOpenRow(row)) this.#undos.set(key, { partition, offset, index, side, digest });
    else this.#undos.delete(key);
    return true;
  }
}

function withOwn(undo: Row, own: OwnCall | null): Row {
  return { ...undo, progress: { ...undo.progress, own: laterOwn(undo.progress.own, own) } };
}

export function placeOf({ offset, index, digest }: Omit<EffectId, "side" | "partition">, lane: string): Place {
  return { offset, index, lane, digest };
}
