import type { NewRecord, SqliteLog } from "@seriatim/log";
import type { Hash, Key, KeyRange, Offset, RecordCodec } from "@seriatim/protocol";
import type { View, ViewPosition } from "@seriatim/view";
import { decide, evolve, restoredState, type Decision, type KeyVersion, type State } from "./core/index.ts";
import { viewState } from "./view-state.ts";

/** How many records one transaction decides at most, so that none keeps the event loop for long. */
const batchRecords = 256;
const batchBytes = 2 * 1024 * 1024;

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

  /** Appends `records` to the intents log, and decides what is undecided up to a bound; whether more is left. */
  commit(records: readonly NewRecord[]): boolean {
    if (records.length > 0) this.#options.intents.appendNow(EmbeddedSequencer.partition, records);
    return this.decideSome();
  }

  /** Decides the oldest undecided records, up to a bound; whether more are left. */
  decideSome(): boolean {
    const { intents, verdicts, view } = this.#options;
    const { partition } = EmbeddedSequencer;
    const position = view.position(partition);
    const decisions = this.#decide(position);
    const last = decisions.at(-1);
    if (last === undefined) return false;
    const base = verdicts.appendNow(
      partition,
      decisions.map(({ bytes }) => ({ value: bytes })),
    );
    view.fold(
      partition,
      decisions.map(({ verdict }, index) => ({ at: base + index, verdict })),
    );
    return last.verdict.offset + 1 < intents.endNow(partition);
  }

  /** The fold comes after all of them, in one go: until then, what they change lies over the view in memory. */
  #decide({ offset, chain, time }: ViewPosition): Decision[] {
    const { intents, codec, hash } = this.#options;
    const { partition } = EmbeddedSequencer;
    const { genesis } = codec;
    const head = { position: { offset, chain }, time };
    const recent = restoredState(genesis.limits.window, { head, writes: [], claims: [], holds: [] });
    const state = layered(recent, this.#state);
    const records = intents.readNow(partition, offset + 1, { count: batchRecords, bytes: batchBytes });
    return records.map((record) => {
      const { value: bytes, time: appendTime } = record;
      const read = { offset: record.offset, appendTime, bytes, digest: hash(bytes) };
      const decision = decide({ genesis, codec }, partition, recent.head, state, read);
      evolve(recent, decision.verdict);
      return decision;
    });
  }
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
