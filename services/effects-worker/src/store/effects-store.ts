import type { Statement } from "better-sqlite3";
import type { SqliteFile } from "@seriatim/log";
import { beforeGenesis, bufferOf, bytesOf, type Digest, type EffectSide } from "@seriatim/protocol";
import type { EffectState, OwnCall, Progress } from "../core/index.ts";
import { isOpenRow, mergedRow, storedState, type Definition, type EffectId, type Position, type Row } from "./row.ts";
import { prepareTables } from "./tables.ts";

interface Stored {
  readonly id: number;
  readonly partition: number;
  readonly offset: number;
  readonly idx: number;
  readonly side: EffectSide;
  readonly digest: Buffer;
  readonly definition: string | null;
  readonly changed: number;
  readonly arguments: Buffer | null;
  readonly progress: string;
  readonly result: Buffer | null;
  readonly own_result: Buffer | null;
}

interface StoredPosition {
  readonly applied: number;
  readonly chain: Buffer;
  readonly at: number;
  readonly next_verdict: number;
  readonly next_effect: number;
  readonly last_effect: Buffer;
}

const nowhere: Position = {
  applied: beforeGenesis.offset,
  chain: beforeGenesis.chain,
  at: -1,
  nextVerdict: 0,
  nextEffect: 0,
  lastEffect: "\0".repeat(32) as Digest,
};

type Page = Statement<[number, number, number, number, number], Stored>;

const columns = "partition, offset, idx, side, digest, definition, changed, arguments, progress, result, own_result";

/**
 * The fold of both logs in an SQLite file. Several processes may share it: each stores what it has folded, and where two
 * have folded the same effect, what comes later in the logs stays.
 */
export class EffectsStore {
  readonly #file: SqliteFile;
  readonly #get: Statement<[number, number, number, EffectSide, Buffer], Stored>;
  readonly #open: Page;
  readonly #at: Statement<[number, number], Stored>;
  readonly #unfinished: Page;
  readonly #all: Page;
  readonly #put: Statement;
  readonly #states: Statement<[], { readonly state: EffectState; readonly count: number }>;
  readonly #position: Statement<[number], StoredPosition>;
  readonly #putPosition: Statement;

  private constructor(file: SqliteFile) {
    const { database } = file;
    const rows = `SELECT id, ${columns} FROM effects`;
    const place = "partition = ? AND (offset, idx, id) > (?, ?, ?) ORDER BY offset, idx, id LIMIT ?";
    this.#file = file;
    this.#get = database.prepare(`${rows} WHERE partition = ? AND offset = ? AND idx = ? AND side = ? AND digest = ?`);
    this.#at = database.prepare(`${rows} WHERE partition = ? AND offset = ? ORDER BY idx, side`);
    this.#open = database.prepare(`${rows} WHERE open = 1 AND ${place}`);
    this.#unfinished = database.prepare(`${rows} WHERE state <> 'done' AND ${place}`);
    this.#all = database.prepare(`${rows} WHERE ${place}`);
    this.#put = database.prepare(`
      INSERT INTO effects (${columns}, open, state, intent, applied)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (partition, offset, idx, side, digest) DO UPDATE SET
        definition = excluded.definition, changed = excluded.changed, arguments = excluded.arguments,
        progress = excluded.progress, result = excluded.result, own_result = excluded.own_result,
        open = excluded.open, state = excluded.state, intent = excluded.intent, applied = excluded.applied`);
    this.#states = database.prepare("SELECT state, count(*) AS count FROM effects GROUP BY state");
    this.#position = database.prepare(
      "SELECT applied, chain, at, next_verdict, next_effect, last_effect FROM effects_positions WHERE partition = ?",
    );
    this.#putPosition = database.prepare(`
      INSERT INTO effects_positions (partition, applied, chain, at, next_verdict, next_effect, last_effect)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (partition) DO UPDATE SET
        applied = excluded.applied, chain = excluded.chain, at = excluded.at, next_verdict = excluded.next_verdict,
        next_effect = excluded.next_effect, last_effect = excluded.last_effect
      WHERE excluded.next_verdict >= next_verdict AND excluded.next_effect >= next_effect`);
  }

  /**
   * @param genesis the space's, as it stands in its logs.
   * @throws Failure `other_space`, `unreadable`, and what `SqliteFile.transaction` throws.
   */
  static async open(file: SqliteFile, genesis: Uint8Array): Promise<EffectsStore> {
    await file.transaction(() => prepareTables(file.database, file.path, genesis));
    return new EffectsStore(file);
  }

  position(partition: number): Position {
    const row = this.#file.readNow(() => this.#position.get(partition));
    if (row === undefined) return nowhere;
    const { applied, at, next_verdict: nextVerdict, next_effect: nextEffect } = row;
    return { applied, at, nextVerdict, nextEffect, chain: bytesOf(row.chain), lastEffect: bytesOf(row.last_effect) };
  }

  get({ partition, offset, index, side, digest }: EffectId): Row | undefined {
    const stored = this.#file.readNow(() => this.#get.get(partition, offset, index, side, bufferOf(digest)));
    return stored === undefined ? undefined : rowOf(stored);
  }

  /** All that one intents record brought about. */
  at(partition: number, offset: number): Row[] {
    return this.#file.readNow(() => this.#at.all(partition, offset)).map(rowOf);
  }

  /** What is still to be done, in log order. */
  open(partition: number): Iterable<Row> {
    return this.#pages(this.#open, partition);
  }

  /** What is not done, in log order: dead letters and what was dropped too. */
  unfinished(partition: number): Iterable<Row> {
    return this.#pages(this.#unfinished, partition);
  }

  /** Everything, in log order. */
  all(partition: number): Iterable<Row> {
    return this.#pages(this.#all, partition);
  }

  /** How many effects are in each state. Takes time in proportion to all that there ever were. */
  states(): ReadonlyMap<EffectState, number> {
    return new Map(this.#file.readNow(() => this.#states.all()).map(({ state, count }) => [state, count]));
  }

  /** Stores rows, and how far the partition was read, in one transaction. */
  async store(partition: number, rows: readonly Row[], position: Position): Promise<void> {
    await this.#file.transaction(() => {
      for (const row of rows) this.#store(row);
      const { applied, chain, at, nextVerdict, nextEffect, lastEffect } = position;
      this.#putPosition.run(partition, applied, bufferOf(chain), at, nextVerdict, nextEffect, bufferOf(lastEffect));
    });
  }

  #store(given: Row): void {
    const stored = this.get(given);
    const row = stored === undefined ? given : mergedRow(stored, given);
    const { partition, offset, index, side, digest, definition, changed, progress } = row;
    const { result, own, ...rest } = progress;
    this.#put.run(
      partition,
      offset,
      index,
      side,
      bufferOf(digest),
      definition === null ? null : JSON.stringify(definition),
      changed,
      row.arguments,
      JSON.stringify({ ...rest, own: own === null ? null : { ...own, result: null } }),
      result,
      own?.result ?? null,
      isOpenRow(row) ? 1 : 0,
      storedState(row),
      definition?.intent ?? null,
      progress.applied,
    );
  }

  *#pages(statement: Page, partition: number): Iterable<Row> {
    for (let after = { offset: -1, index: -1, id: -1 }; ;) {
      const { offset, index, id } = after;
      const page = this.#file.readNow(() => statement.all(partition, offset, index, id, pageRows));
      yield* page.map(rowOf);
      const last = page.at(-1);
      if (last === undefined || page.length < pageRows) return;
      after = { offset: last.offset, index: last.idx, id: last.id };
    }
  }
}

const pageRows = 256;

function rowOf(stored: Stored): Row {
  const { partition, offset, idx: index, side, digest, definition, changed, result, own_result: ownResult } = stored;
  const progress = JSON.parse(stored.progress) as Omit<Progress, "result">;
  const own: OwnCall | null = progress.own === null ? null : { ...progress.own, result: ownResult };
  return {
    partition,
    offset,
    index,
    side,
    digest: bytesOf(digest),
    definition: definition === null ? null : (JSON.parse(definition) as Definition),
    changed,
    arguments: stored.arguments,
    progress: { ...progress, result, own },
  };
}
