import type { NewRecord, SqliteLog } from "@seriatim/log";
import type { Hash, RecordCodec } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { decide, type State } from "./core/index.ts";
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
    const { intents, view } = this.#options;
    const from = view.position(EmbeddedSequencer.partition).offset + 1;
    const records = intents.readNow(EmbeddedSequencer.partition, from, { count: batchRecords, bytes: batchBytes });
    for (const record of records) this.#decideOne(record.offset, record.time, record.value);
    return view.position(EmbeddedSequencer.partition).offset + 1 < intents.endNow(EmbeddedSequencer.partition);
  }

  #decideOne(offset: number, appendTime: number, bytes: Uint8Array): void {
    const { verdicts, view, codec, hash } = this.#options;
    const { partition } = EmbeddedSequencer;
    const { offset: applied, chain, time } = view.position(partition);
    const head = { position: { offset: applied, chain }, time };
    const rules = { genesis: codec.genesis, codec };
    const decision = decide(rules, partition, head, this.#state, { offset, appendTime, bytes, digest: hash(bytes) });
    const at = verdicts.appendNow(partition, [{ value: decision.bytes }]);
    view.fold(partition, [{ at, verdict: decision.verdict }]);
  }
}
