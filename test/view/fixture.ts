import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteFile } from "@seriatim/log";
import {
  beforeGenesis,
  createCodec,
  createGenesis,
  encodeGenesis,
  sha256,
  toKey,
  type AppliedWrite,
  type Digest,
  type Genesis,
  type Key,
  type Offset,
  type Outcome,
  type Position,
  type RecordCodec,
  type RefusalCode,
  type Verdict,
} from "@seriatim/protocol";
import { View, type FoldResult, type ReadVerdict } from "@seriatim/view";
import { onTestFinished } from "vitest";

/** A path in a folder of its own, which is removed after the test. */
export function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "seriatim-view-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "view.db");
}

/** Opens a file without waiting for the disk, and closes it after the test. */
export function openFile(path: string = temporaryPath()): SqliteFile {
  const file = SqliteFile.open(path, { synchronous: "normal" });
  onTestFinished(() => file.close());
  return file;
}

export interface Opened {
  readonly file: SqliteFile;
  readonly view: View;
}

export async function openView(path?: string): Promise<Opened> {
  const file = openFile(path);
  return { file, view: await View.open(file) };
}

export function foldInto({ file, view }: Opened, records: readonly ReadVerdict[], partition = 0): Promise<FoldResult> {
  return file.transaction(() => view.fold(partition, records));
}

/** Verdicts as they are read from a log that holds them from `first` on. */
export function read(verdicts: readonly (Verdict | undefined)[], first: Offset = 0): ReadVerdict[] {
  return verdicts.map((verdict, index) => ({ at: first + index, verdict }));
}

export function value(text: string): Uint8Array {
  return Buffer.from(text);
}

/** The writes of `{ "a/x": "text", "a/y": null }`; null deletes. */
export function writesOf(entries: Readonly<Record<string, string | null>>): AppliedWrite[] {
  return Object.entries(entries).map(([name, text]) => ({
    key: toKey(name),
    value: text === null ? null : value(text),
  }));
}

export function commit(entries: Readonly<Record<string, string | null>>, result: Uint8Array | null = null): Outcome {
  return { kind: "committed", writes: writesOf(entries), effects: [], holds: [], result };
}

export function refuse(code: RefusalCode, more: Partial<Extract<Outcome, { kind: "refused" }>> = {}): Outcome {
  return { kind: "refused", code, reason: null, conflicts: [], first: null, ...more };
}

export interface Told {
  readonly id?: string;
  readonly agent?: string;
  readonly time?: number;
  /** The digest of these bytes in place of a distinct one. */
  readonly record?: string;
}

/** Makes the verdicts of one partition, each linked to the one before. */
export class Chain {
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly partition: number;
  #head: Position = beforeGenesis;
  #time = 1000;

  constructor(options: { genesis?: Genesis; partition?: number } = {}) {
    this.genesis = options.genesis ?? createGenesis({ partitions: 1 });
    this.codec = createCodec(this.genesis, sha256);
    this.partition = options.partition ?? 0;
  }

  get head(): Position {
    return this.#head;
  }

  found(): Verdict {
    return this.next({ kind: "genesis", genesis: encodeGenesis(this.genesis) });
  }

  /** The verdict of the record after the last, `skip` offsets further on where the log has a hole. */
  next(outcome: Outcome, told: Told = {}, skip = 0): Verdict {
    const offset = this.#head.offset + 1 + skip;
    this.#time = told.time ?? this.#time + 1;
    const unlinked: Omit<Verdict, "chain"> = {
      space: this.genesis.space,
      partition: this.partition,
      offset,
      predecessor: this.#head,
      digest: digestOf(told.record ?? `record ${this.partition}/${offset}`),
      id: outcome.kind === "genesis" ? null : (told.id ?? `id-${offset}`),
      agent: outcome.kind === "genesis" ? null : (told.agent ?? "tester"),
      time: this.#time,
      outcome,
    };
    const { chain } = this.codec.encodeVerdict(unlinked);
    this.#head = { offset, chain };
    return { ...unlinked, chain };
  }

  /** The genesis verdict and one commit for each of `entries`. */
  run(...entries: readonly Readonly<Record<string, string | null>>[]): Verdict[] {
    return [this.found(), ...entries.map((each) => this.next(commit(each)))];
  }
}

export function digestOf(text: string): Digest {
  return sha256(Buffer.from(text));
}

export function bytesOfVerdict(chain: Chain, verdict: Verdict): Uint8Array {
  const { chain: _, ...unlinked } = verdict;
  return chain.codec.encodeVerdict(unlinked).bytes;
}

export function key(text: string): Key {
  return toKey(text);
}
