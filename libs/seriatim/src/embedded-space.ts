import { SqliteFile, SqliteLog, type SqliteFileOptions } from "@seriatim/log";
import type { Advance, Space } from "@seriatim/client";
import {
  assert,
  createCodec,
  createGenesis,
  decodeGenesis,
  encodeGenesis,
  Failure,
  sha256,
  type Genesis,
  type Limits,
  type RecordCodec,
  type Version,
} from "@seriatim/protocol";
import { EmbeddedSequencer } from "@seriatim/sequencer";
import { verifyPosition, View } from "@seriatim/view";
import { Advances } from "./advances.ts";

export interface OpenOptions extends SqliteFileOptions {
  /** Limits of a space made by this call, where they differ from the defaults. A space that exists keeps its own. */
  readonly limits?: Partial<Limits>;
}

/** The most that one transaction appends: what came in while the one before it ran. */
const mostRecords = 128;

interface Waiting {
  readonly record: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

const partition = 0;

/**
 * A space in one SQLite file: logs and view, one partition, every process its own sequencer. A commit is one
 * transaction of the file: append, decide whatever is undecided, fold. Any number of processes may open it.
 */
export class EmbeddedSpace implements Space {
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly view: View;
  readonly file: SqliteFile;
  readonly intents: SqliteLog;
  readonly verdicts: SqliteLog;
  readonly #sequencer: EmbeddedSequencer;
  readonly #advances: Advances;
  readonly #unsubscribe: () => void;
  readonly #queue: Waiting[] = [];
  #isFlushing = false;

  private constructor(file: SqliteFile, view: View, intents: SqliteLog, verdicts: SqliteLog, codec: RecordCodec) {
    this.genesis = codec.genesis;
    this.codec = codec;
    this.file = file;
    this.view = view;
    this.intents = intents;
    this.verdicts = verdicts;
    this.#sequencer = new EmbeddedSequencer({ intents, verdicts, view, codec, hash: sha256 });
    this.#advances = new Advances(view, codec.genesis.partitions);
    this.#unsubscribe = file.subscribe(() => this.#look());
  }

  /**
   * Opens the space in the file at `path`; makes one when there is none.
   * @throws Failure `read_only`, `unreadable`, `not_a_space`, `invalid_argument`, `unknown_rules`, `log_changed`.
   */
  static async open(path: string, options: OpenOptions = {}): Promise<EmbeddedSpace> {
    const { limits, ...fileOptions } = options;
    const file = SqliteFile.open(path, fileOptions);
    try {
      const intents = await SqliteLog.open(file, "intents");
      const verdicts = await SqliteLog.open(file, "verdicts");
      const view = await View.open(file);
      const codec = createCodec(decodeGenesis(await foundOrRead(file, intents, limits)), sha256);
      await verifyPosition({ intents, verdicts, view, partitions: [partition], hash: sha256 });
      const space = new EmbeddedSpace(file, view, intents, verdicts, codec);
      if (fileOptions.readonly !== true) await space.#decideAll();
      return space;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  append(toPartition: number, record: Uint8Array, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    assert(toPartition === partition, `an embedded space has partition ${partition} only`);
    options.signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      this.#queue.push({ record, resolve, reject });
      if (!this.#isFlushing) void this.#flush();
    });
  }

  subscribe(listener: (advance: Advance) => void): () => void {
    return this.#advances.subscribe(listener);
  }

  reached(version: Version, options?: { readonly signal?: AbortSignal; readonly timeout?: number }): Promise<void> {
    return this.#advances.reached(version, options);
  }

  async close(): Promise<void> {
    if (!this.file.isOpen) return;
    this.#unsubscribe();
    this.file.close();
    this.#advances.end(new Failure("closed", `the space in ${this.file.path} was closed; open it again`));
  }

  /** Commits what is queued, as many records in one transaction as came together. Never rejects. */
  async #flush(): Promise<void> {
    this.#isFlushing = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, mostRecords);
      try {
        await this.#commit(batch.map(({ record }) => record));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isFlushing = false;
  }

  async #commit(records: readonly Uint8Array[]): Promise<void> {
    const more = await this.file.transaction(() => this.#sequencer.commit(records.map((value) => ({ value }))));
    this.#advances.look();
    if (more) await this.#decideAll();
  }

  /** Decides what stands in the log undecided, a bounded part in each transaction. */
  async #decideAll(): Promise<void> {
    const { file, intents, view } = this;
    const isBehind = (): boolean => view.position(partition).offset + 1 < intents.endNow(partition);
    let more = await file.read(isBehind);
    while (more) more = await file.transaction(() => this.#sequencer.decideSome());
  }

  #look(): void {
    if (this.file.isOpen) this.#advances.look();
  }
}

/** The genesis record; two processes that make a space in the same new file make one. */
async function foundOrRead(file: SqliteFile, intents: SqliteLog, limits: Partial<Limits> = {}): Promise<Uint8Array> {
  const read = (): Uint8Array | undefined => intents.readNow(partition, 0, { count: 1, bytes: 1 })[0]?.value;
  const found = await file.read(read);
  if (found !== undefined) return found;
  const genesis = encodeGenesis(createGenesis({ partitions: 1, limits: { ...limits, partitionKeys: 0 } }));
  return file.transaction(() => {
    const first = read();
    if (first === undefined) intents.appendNow(partition, [{ value: genesis }]);
    return first ?? genesis;
  });
}
