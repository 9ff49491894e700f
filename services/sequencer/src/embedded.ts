import type { LogRecord, NewRecord, SqliteLog } from "@seriatim/log";
import type { Hash, Key, KeyRange, Offset, RecordCodec, Verdict } from "@seriatim/protocol";
import type { View, ViewPosition } from "@seriatim/view";
import { decide, evolve, restoredState, type Claim, type Decision, type KeyVersion, type State } from "./core/index.ts";
import { viewState } from "./view-state.ts";

/** How many records one transaction decides at most, so that none keeps the event loop for long. */
const batchRecords = 256;
const batchBytes = 2 * 1024 * 1024;

/** What one transaction decided. */
export interface Decided {
  /** Whether more is left undecided. */
  readonly more: boolean;
  readonly records: readonly DecidedRecord[];
}

export interface DecidedRecord {
  readonly verdict: Verdict;
  /** Whether no record before it had claimed its id, however long ago. */
  readonly isFirst: boolean;
}

type Undecided = Pick<LogRecord, "offset" | "time" | "value">;

export interface EmbeddedSequencerOptions {
  readonly intents: SqliteLog;
  readonly verdicts: SqliteLog;
  readonly view: View;
  readonly codec: RecordCodec;
  readonly hash: Hash;
}

/**
 * The sequencer of a space that lives in one SQLite file: whoever holds the file's write lock decides. Every method must
 * run inside of `SqliteFile.transaction`, so that intents, verdicts and view move together or not at all.
 */
export class EmbeddedSequencer {
  static readonly partition = 0;
  readonly #options: EmbeddedSequencerOptions;
  readonly #state: State;

  constructor(options: EmbeddedSequencerOptions) {
    this.#options = options;
    this.#state = viewState(options.view, EmbeddedSequencer.partition);
  }

  /**
   * Appends `records` to the intents log, and decides what is undecided up to a bound: all of it with the last of
   * `records` at the end, unless more is left.
   */
  commit(records: readonly NewRecord[]): Decided {
    const { intents, view } = this.#options;
    const { partition } = EmbeddedSequencer;
    if (records.length === 0) return this.decideSome();
    const time = intents.timeNow();
    const base = intents.appendNow(partition, records, time);
    const position = view.position(partition);
    // What follows on is not read back.
    if (base !== position.offset + 1 || !isBounded(records)) return this.#decideFrom(position);
    const appended = records.map(({ value }, index) => ({ offset: base + index, time, value }));
    return { more: false, records: this.#decided(this.#decide(position, appended)) };
  }

  /** Decides the oldest undecided records, up to a bound. */
  decideSome(): Decided {
    return this.#decideFrom(this.#options.view.position(EmbeddedSequencer.partition));
  }

  #decideFrom(position: ViewPosition): Decided {
    const { intents } = this.#options;
    const { partition } = EmbeddedSequencer;
    const bounds = { count: batchRecords, bytes: batchBytes };
    const decisions = this.#decide(position, intents.readNow(partition, position.offset + 1, bounds));
    const last = decisions.at(-1);
    if (last === undefined) return { more: false, records: [] };
    const records = this.#decided(decisions);
    return { more: last.verdict.offset + 1 < intents.endNow(partition), records };
  }

  /** Appends the verdicts and folds them. */
  #decided<T extends Decision>(decisions: readonly T[]): readonly T[] {
    const { verdicts, view } = this.#options;
    const { partition } = EmbeddedSequencer;
    const base = verdicts.appendNow(
      partition,
      decisions.map(({ bytes }) => ({ value: bytes })),
    );
    view.fold(
      partition,
      decisions.map(({ verdict }, index) => ({ at: base + index, verdict })),
    );
    return decisions;
  }

  /** The fold comes after all of them, in one go: until then, what they change lies over the view in memory. */
  #decide({ offset, chain, time }: ViewPosition, records: readonly Undecided[]): (Decision & DecidedRecord)[] {
    const { codec, hash } = this.#options;
    const { partition } = EmbeddedSequencer;
    const { genesis } = codec;
    const head = { position: { offset, chain }, time };
    const recent = restoredState(genesis.limits.window, { head, writes: [], claims: [], holds: [] });
    const layers = layered(recent, this.#state);
    let isFirst = true;
    const claim = (id: string): Claim | undefined => {
      const found = layers.claim(id);
      isFirst = found === undefined;
      return found;
    };
    const state = { ...layers, claim };
    return records.map((record) => {
      const { value: bytes, time: appendTime } = record;
      const read = { offset: record.offset, appendTime, bytes, digest: hash(bytes) };
      isFirst = true;
      const { verdict, bytes: encoded, snapshot } = decide({ genesis, codec }, partition, recent.head, state, read);
      evolve(recent, verdict);
      return { verdict, bytes: encoded, snapshot, isFirst };
    });
  }
}

function isBounded(records: readonly NewRecord[]): boolean {
  return records.length <= batchRecords && records.reduce((sum, { value }) => sum + value.length, 0) <= batchBytes;
}

/** A state in two layers, of which `recent` has what is newer. */
function layered(recent: State, older: State): State {
  return {
    lastWrite: (key) => {
      const version = recent.lastWrite(key);
      return version < 0 ? older.lastWrite(key) : version;
    },
    newestIn: (range, after, limit) => newestOf(recent, older, range, after, limit),
    claim: (id) => recent.claim(id) ?? older.claim(id),
    holds: (id) => [...older.holds(id), ...recent.holds(id)],
  };
}

/** Of each layer the first `limit` are enough: among the first `limit` of both, none comes later in its own. */
function newestOf(recent: State, older: State, range: KeyRange, after: Offset, limit: number): readonly KeyVersion[] {
  const newer = recent.newestIn(range, after, limit);
  const found = older.newestIn(range, after, limit);
  if (newer.length === 0) return found;
  const versions = new Map<Key, Offset>();
  for (const { key, version } of found) versions.set(key, version);
  for (const { key, version } of newer) versions.set(key, version);
  return [...versions.entries()]
    .map(([key, version]) => ({ key, version }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .slice(0, limit);
}
