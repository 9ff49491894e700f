import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Advance, Space } from "@seriatim/client";
import { createCoordinator, type Coordinator, type CoordinatorOptions } from "@seriatim/client";
import { SqliteFile } from "@seriatim/log";
import { createCodec, createEffectsCodec, createGenesis, encodeGenesis, Failure, sha256 } from "@seriatim/protocol";
import type { DecodedRecord, EffectRecord, Genesis, Limits, RecordCodec, Version } from "@seriatim/protocol";
import { decide, evolve, initialState, type MemoryState } from "@seriatim/sequencer";
import { View, type ReadVerdict } from "@seriatim/view";
import { onTestFinished } from "vitest";

/** What the next append does in place of its job. */
export type Fault =
  | "unavailable"
  /** Appended, and then the answer is lost. */
  | "lost answer"
  /** Not appended, and nobody can tell. */
  | "lost record"
  /** Never answers, and appends nothing. */
  | "hangs"
  | "log changed";

interface Logged {
  readonly bytes: Uint8Array;
  readonly time: number;
}

/** A space in memory, decided by the real core and folded into a real view, whose log fails on demand. */
export class FakeSpace implements Space {
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly view: View;
  /** Append time of the records to come. */
  time = Date.UTC(2026, 0, 15);
  /** What the next appends suffer, in order. */
  readonly faults: Fault[] = [];
  /** Called with each record as it comes in, before anything happens to it. */
  onAppend: (record: DecodedRecord, partition: number) => void | Promise<void> = () => undefined;
  /** Called with each report before it is kept. */
  onReport: (report: EffectRecord) => void | Promise<void> = () => undefined;
  isPaused = false;
  closed = false;
  readonly #file: SqliteFile;
  readonly #logs: Logged[][];
  readonly #states: MemoryState[];
  readonly #decided: number[];
  readonly #listeners = new Set<(advance: Advance) => void>();
  #deciding: Promise<void> = Promise.resolve();

  private constructor(file: SqliteFile, view: View, genesis: Genesis) {
    this.#file = file;
    this.view = view;
    this.genesis = genesis;
    this.codec = createCodec(genesis, sha256);
    this.#logs = Array.from({ length: genesis.partitions }, () => []);
    this.#states = this.#logs.map(() => initialState(genesis.limits.window));
    this.#decided = this.#logs.map(() => 0);
  }

  static async open(options: { partitions?: number; limits?: Partial<Limits> } = {}): Promise<FakeSpace> {
    const folder = mkdtempSync(join(tmpdir(), "seriatim-client-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = SqliteFile.open(join(folder, "view.db"), { synchronous: "normal" });
    onTestFinished(() => file.close());
    const { partitions = 1, limits = {} } = options;
    const partitionKeys = partitions === 1 ? 0 : 1;
    const genesis = createGenesis({ partitions, limits: { partitionKeys, ...limits } });
    const space = new FakeSpace(file, await View.open(file), genesis);
    for (let partition = 0; partition < partitions; partition += 1) await space.put(partition, encodeGenesis(genesis));
    return space;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  async append(partition: number, record: Uint8Array): Promise<void> {
    await this.onAppend(this.codec.decodeIntent(record), partition);
    const fault = this.faults.shift();
    switch (fault) {
      case undefined:
        return this.put(partition, record);
      case "unavailable":
        throw new Failure("unavailable", "the log cannot be reached");
      case "lost answer":
        await this.put(partition, record);
        throw new Failure("unknown_outcome", "the answer was lost");
      case "lost record":
        throw new Failure("unknown_outcome", "the record was lost");
      case "hangs":
        return new Promise<never>(() => undefined);
      case "log changed":
        throw new Failure("log_changed", "the log was replaced");
    }
  }

  /** What agents reported of the calls that they made themselves, in order. */
  readonly reports: EffectRecord[] = [];

  async report(_: number, record: Uint8Array): Promise<void> {
    const report = createEffectsCodec(this.genesis).decode(record);
    if (report === undefined) throw new Error("a report that cannot be read");
    await this.onReport(report);
    this.reports.push(report);
  }

  /** Puts a record into the log, whatever faults are pending, and decides it unless paused. */
  async put(partition: number, record: Uint8Array): Promise<void> {
    this.#log(partition).push({ bytes: record, time: this.time });
    if (!this.isPaused) await this.decideAll();
  }

  /** Moves the log on by `count` records that mean nothing. */
  async fill(count: number, partition = 0): Promise<void> {
    for (let n = 0; n < count; n += 1) await this.put(partition, Buffer.from([n]));
  }

  async resume(): Promise<void> {
    this.isPaused = false;
    await this.decideAll();
  }

  decideAll(): Promise<void> {
    this.#deciding = this.#deciding.then(() => this.#decideAll());
    return this.#deciding;
  }

  subscribe(listener: (advance: Advance) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async reached(
    { partition, offset }: Version,
    { signal, timeout = 1000 }: { readonly signal?: AbortSignal; readonly timeout?: number } = {},
  ): Promise<void> {
    const isApplied = () => this.view.position(partition).offset >= offset;
    if (isApplied()) return;
    await new Promise<void>((resolve, reject) => {
      const late = () =>
        reject(new Failure("not_yet", `version ${partition}@${offset} was not applied in ${timeout} ms`));
      const timer = setTimeout(late, timeout);
      signal?.addEventListener("abort", () => reject(new Failure("aborted", "aborted")));
      const end = this.subscribe(() => {
        if (!isApplied()) return;
        end();
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  async #decideAll(): Promise<void> {
    for (const partition of this.#logs.keys()) {
      const from = this.#decided[partition] ?? 0;
      const records = this.#log(partition).slice(from);
      if (records.length === 0) continue;
      const verdicts = records.map((record, index) => this.#decide(partition, from + index, record));
      this.#decided[partition] = from + records.length;
      await this.#file.transaction(() => this.view.fold(partition, verdicts));
      const advance = { partition, from: from - 1, to: from + records.length - 1 };
      for (const listener of this.#listeners) listener(advance);
    }
  }

  #decide(partition: number, offset: number, { bytes, time }: Logged): ReadVerdict {
    const state = this.#states[partition];
    if (state === undefined) throw new Error(`no partition ${partition}`);
    const record = { offset, appendTime: time, bytes, digest: sha256(bytes) };
    const { verdict } = decide({ genesis: this.genesis, codec: this.codec }, partition, state.head, state, record);
    evolve(state, verdict);
    return { at: offset, verdict };
  }

  #log(partition: number): Logged[] {
    const log = this.#logs[partition];
    if (log === undefined) throw new Error(`no partition ${partition}`);
    return log;
  }
}

/** A coordinator with short waits. Others on the same space stand for other processes. */
export function coordinatorOn(space: Space, options: CoordinatorOptions = {}): Coordinator {
  return createCoordinator(space, { verdictTimeout: 200, retry: { base: 0, cap: 0 }, ...options });
}

/** Resolves for all who arrive as soon as `count` have. */
export function barrier(count: number): () => Promise<void> {
  let release: (() => void) | undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived >= count) release?.();
    return all;
  };
}

/** A promise that somebody else fulfils. */
export function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open?.(), opened };
}
