import { statSync } from "node:fs";
import { SqliteFile, type SqliteFileOptions, type SqliteLog } from "@seriatim/log";
import type { Advance, Appended, Space } from "@seriatim/client";
import {
  assert,
  createCodec,
  Failure,
  sha256,
  type Genesis,
  type Limits,
  type RecordCodec,
  type Version,
} from "@seriatim/protocol";
import { EmbeddedSequencer, type Decided, type DecidedRecord } from "@seriatim/sequencer";
import { verifyPosition, type View } from "@seriatim/view";
import { Advances } from "./advances.ts";
import { OwnAppend } from "./embedded/append.ts";
import { Committer, type Committed } from "./embedded/committer.ts";
import { foundSpace, type Founded } from "./embedded/founding.ts";
import { Link, type Role } from "./embedded/link.ts";
import { Lookout } from "./embedded/lookout.ts";
import { passingTransaction } from "./embedded/passing.ts";
import { socketPathOf } from "./embedded/socket-path.ts";

export interface OpenOptions extends SqliteFileOptions {
  /**
   * Whether processes that have the file open may commit for one another, over a socket beside it: faster for several
   * that write much at once, and never needed. Default true. Not with `synchronous: "normal"`: who commits for others
   * owes them what they asked for.
   */
  readonly socket?: boolean;
  /** Limits of a space made by this call, where they differ from the defaults. A space that exists keeps its own. */
  readonly limits?: Partial<Limits>;
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
  readonly effects: SqliteLog;
  readonly decidesOnAppend = true;
  /** Whether there was no space in the file before it was opened here. */
  readonly made: boolean;
  readonly #sequencer: EmbeddedSequencer;
  readonly #advances: Advances;
  readonly #committer: Committer;
  readonly #lookout: Lookout;
  readonly #link: Link | undefined;
  readonly #beforeClose: (() => Promise<void>)[] = [];
  /** Then news are told when that is done, once. */
  #isCommitting = false;

  private constructor(
    file: SqliteFile,
    { view, intents, verdicts, effects, made }: Founded,
    codec: RecordCodec,
    isLinked: boolean,
  ) {
    this.made = made;
    this.genesis = codec.genesis;
    this.codec = codec;
    this.file = file;
    this.view = view;
    this.intents = intents;
    this.verdicts = verdicts;
    this.effects = effects;
    this.#sequencer = new EmbeddedSequencer({ intents, verdicts, view, codec, hash: sha256 });
    this.#advances = new Advances(view, codec.genesis.partitions, () => this.#onWanted());
    this.#committer = new Committer(
      (take) => this.#commit(take),
      () => this.#link?.hasFollowers === true,
    );
    this.#lookout = new Lookout(file, () => {
      if (!this.#isCommitting) this.#onAdvance();
    });
    this.#link = isLinked ? this.#newLink() : undefined;
  }

  /**
   * Opens the space in the file at `path`; makes one when there is none.
   * @throws Failure `read_only`, `unreadable`, `not_a_space`, `other_space`, `invalid_argument`, `unknown_rules`,
   *   `log_changed`.
   */
  static async open(path: string, options: OpenOptions = {}): Promise<EmbeddedSpace> {
    const { limits, socket = true, ...fileOptions } = options;
    const file = SqliteFile.open(path, fileOptions);
    try {
      const founded = await foundSpace(file, limits);
      const codec = createCodec(founded.genesis, sha256);
      await verifyPosition({ ...founded, partitions: [partition], hash: sha256 });
      const isReadonly = fileOptions.readonly === true;
      const isFull = fileOptions.synchronous !== "normal";
      const space = new EmbeddedSpace(file, founded, codec, socket && !isReadonly && isFull);
      if (!isReadonly) await space.#decideAll();
      return space;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** How it commits: by another process, for others too, or by itself. */
  get role(): Role {
    return this.#link?.role ?? "alone";
  }

  /** By this process, as opposed to the one that it follows. */
  get committed(): Committed {
    return this.#committer.committed;
  }

  /** Resolves when the record is decided too. */
  append(
    toPartition: number,
    record: Uint8Array,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Appended | undefined> {
    assert(toPartition === partition, `an embedded space has partition ${partition} only`);
    options.signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const append = new OwnAppend(record, resolve, reject);
      this.#link?.begin();
      if (this.#link?.append(append) !== true) this.#committer.add(append);
    });
  }

  async report(toPartition: number, record: Uint8Array): Promise<void> {
    await this.effects.append(toPartition, [{ value: record }]);
  }

  subscribe(listener: (advance: Advance) => void): () => void {
    return this.#advances.subscribe(listener);
  }

  reached(version: Version, options?: { readonly signal?: AbortSignal; readonly timeout?: number }): Promise<void> {
    return this.#advances.reached(version, options);
  }

  /** Has `work` done before the file is closed. */
  beforeClose(work: () => Promise<void>): void {
    this.#beforeClose.push(work);
  }

  async close(): Promise<void> {
    await Promise.all(this.#beforeClose.splice(0).map((work) => work()));
    if (!this.file.isOpen) return;
    this.#lookout.look("none");
    this.file.close();
    this.#link?.end();
    this.#advances.end(new Failure("closed", `the space in ${this.file.path} was closed; open it again`));
  }

  async #commit(take: () => readonly Uint8Array[]): Promise<readonly (Appended | undefined)[]> {
    let decided: Decided | undefined;
    try {
      const work = (): Decided => {
        this.#isCommitting = true;
        return this.#sequencer.commit(take().map((value) => ({ value })));
      };
      decided =
        this.role === "follows"
          ? await passingTransaction(this.file, work, () => this.#committer.isNeeded)
          : await this.file.transaction(work);
      if (decided?.more === true) await this.#decideAll();
    } finally {
      this.#isCommitting = false;
    }
    this.#onAdvance();
    // What was appended is the last of what was decided; with more left, it is for the view to say.
    return decided === undefined || decided.more ? [] : decided.records.slice(-take().length).map(appendedOf);
  }

  /** Decides what stands in the log undecided, a bounded part in each transaction. */
  async #decideAll(): Promise<void> {
    const { file, intents, view } = this;
    const isBehind = (): boolean => view.position(partition).offset + 1 < intents.endNow(partition);
    let more = await file.read(isBehind);
    while (more) ({ more } = await file.transaction(() => this.#sequencer.decideSome()));
  }

  #onAdvance(): void {
    if (!this.file.isOpen) return;
    this.#advances.look();
    this.#link?.tell();
  }

  /** Somebody has begun or ceased to want news of the view. */
  #onWanted(): void {
    const { isWanted } = this.#advances;
    if (isWanted) this.#link?.begin();
    this.#link?.watch(isWanted);
    this.#takeCare();
  }

  #takeCare(): void {
    const isWanted = this.#advances.isWanted || this.#link?.isWatched === true;
    this.#lookout.look(!isWanted ? "none" : this.role === "follows" ? "rarely" : "closely");
  }

  #newLink(): Link | undefined {
    const path = socketPathOf(this.file.path);
    const inode = inodeOf(this.file.path);
    if (path === undefined || inode === undefined) return undefined;
    const { space, limits } = this.genesis;
    return new Link({
      path,
      identity: { space, inode },
      committer: this.#committer,
      recordBytes: limits.recordBytes,
      isFileInPlace: () => inodeOf(this.file.path) === inode,
      onNews: () => this.#onAdvance(),
      onChange: () => this.#takeCare(),
    });
  }
}

function appendedOf({ verdict: { offset, time, outcome }, isFirst }: DecidedRecord): Appended {
  return { offset, time, isCommitted: isFirst && outcome.kind === "committed" };
}

/** Undefined when there is no such file. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
