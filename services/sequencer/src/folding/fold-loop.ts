import { setTimeout as delay } from "node:timers/promises";
import type { SqliteFile } from "@seriatim/log";
import type { RecordCodec } from "@seriatim/protocol";
import type { ReadVerdict, View } from "@seriatim/view";
import type { Report } from "./messages.ts";
import { unpack, type PackedRecords } from "./packed-records.ts";

/** So many records, and one batch more, are folded in one transaction at most: others want the file too. */
const mostAtOnce = 4096;

/** After a fold more is let come in, so long, in ms: a transaction costs as much as the fold of ten verdicts. */
const pauseAfterFold = 20;

/** Unless so many batches have come in already. */
const manyBatches = 4;

export interface FoldLoopOptions {
  readonly file: SqliteFile;
  readonly view: View;
  readonly codec: RecordCodec;
  readonly report: (report: Report) => void;
}

/** Folds what it is given in the order in which it comes, as much as has come in at once. */
export class FoldLoop {
  readonly #options: FoldLoopOptions;
  readonly #ending = new AbortController();
  #waiting: PackedRecords[] = [];
  #running: Promise<void> | undefined;

  constructor(options: FoldLoopOptions) {
    this.#options = options;
  }

  /** Rejects when a fold of what was given until now fails; after that nothing more may be given. */
  async give(records: PackedRecords): Promise<void> {
    this.#waiting.push(records);
    this.#running ??= this.#run();
    await this.#running;
  }

  /** Resolves when all that was given is folded. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#fold(this.#next());
      if (this.#waiting.length < manyBatches) await this.#pause();
    }
    this.#running = undefined;
  }

  async #pause(): Promise<void> {
    const { signal } = this.#ending;
    if (!signal.aborted) await delay(pauseAfterFold, undefined, { signal }).catch(() => undefined);
  }

  #next(): PackedRecords[] {
    let records = 0;
    const enough = this.#waiting.findIndex(({ ends }) => (records += ends.length) >= mostAtOnce);
    return this.#waiting.splice(0, enough === -1 ? this.#waiting.length : enough + 1);
  }

  async #fold(batches: readonly PackedRecords[]): Promise<void> {
    const { file, view, report } = this.#options;
    const read = this.#decode(batches);
    const fold = (): void => {
      for (const [partition, verdicts] of read) view.fold(partition, verdicts);
    };
    await file.transaction(fold);
    const records = batches.reduce((sum, { ends }) => sum + ends.length, 0);
    const bytes = batches.reduce((sum, { values }) => sum + values.length, 0);
    report({ kind: "folded", records, bytes });
  }

  #decode(batches: readonly PackedRecords[]): Map<number, ReadVerdict[]> {
    const { codec } = this.#options;
    const read = new Map<number, ReadVerdict[]>();
    for (const packed of batches) {
      const verdicts = read.get(packed.partition) ?? [];
      for (const { at, value } of unpack(packed)) verdicts.push({ at, verdict: codec.decodeVerdict(value) });
      read.set(packed.partition, verdicts);
    }
    return read;
  }
}
