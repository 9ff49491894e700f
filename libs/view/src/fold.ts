import type { Database } from "better-sqlite3";
import { assert, type Bytes, type Verdict } from "@seriatim/protocol";
import { FoldStatements } from "./fold-statements.ts";
import type { Identity } from "./identity.ts";
import type { Positions, StoredPosition } from "./positions.ts";
import type { FoldCounts, FoldResult, ReadVerdict } from "./types.ts";

type Judgement = "next" | "repeat" | "gap" | "foreign";

/**
 * Applies verdicts in the order of their links and not in that of their log.
 *
 * Invariant 3: a verdict is applied only if its predecessor's offset and chain hash are the position. So a foreign
 * record cannot be applied after the genesis, and one that a defect left out of the chain never is.
 * Invariant 9: the position is stored in the transaction of the data.
 */
export class Fold {
  readonly #database: Database;
  readonly #positions: Positions;
  readonly #identity: Identity;
  readonly #statements: FoldStatements;

  constructor(database: Database, positions: Positions, identity: Identity) {
    this.#database = database;
    this.#positions = positions;
    this.#identity = identity;
    this.#statements = new FoldStatements(database);
  }

  fold(partition: number, records: readonly ReadVerdict[]): FoldResult {
    assert(this.#database.inTransaction, "verdicts were folded outside of a transaction");
    const batch = new Batch(partition, this.#positions.stored(partition), this.#identity.space());
    const rows = this.#statements.begin();
    for (const { at, verdict } of records) {
      const judgement = verdict === undefined ? "unreadable" : this.#judge(batch, verdict);
      const isOurs = verdict !== undefined && judgement !== "foreign";
      batch.count(at, judgement, isOurs ? verdict.offset : -1);
      if (verdict !== undefined && judgement === "next")
        batch.advance(verdict, rows.add(verdict, batch.position.writes));
    }
    rows.end();
    this.#statements.tally(partition, batch.applied);
    if (batch.isChanged) this.#positions.store(partition, batch.position);
    const { writes: _, ...position } = batch.position;
    return { ...batch.counts, position, applied: batch.applied };
  }

  #judge(batch: Batch, verdict: Verdict): Judgement {
    const { partition, position } = batch;
    if (verdict.partition !== partition) return "foreign";
    if (batch.space !== undefined && verdict.space !== batch.space) return "foreign";
    if (verdict.offset <= position.offset) return "repeat";
    const { offset, chain } = verdict.predecessor;
    if (offset !== position.offset || chain !== position.chain) return "gap";
    const { outcome, space } = verdict;
    if (position.offset >= 0) return "next";
    if (outcome.kind !== "genesis" || !this.#identity.admits(space, outcome.genesis)) return "foreign";
    batch.space = space;
    return "next";
  }
}

type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** What one call has read so far. Changed in place: a copy a record was a fifth of the time of a fold. */
class Batch {
  readonly partition: number;
  readonly position: Draft<StoredPosition>;
  /** Undefined until a genesis verdict was applied, in any partition. */
  space: Bytes | undefined;
  isChanged = false;
  readonly applied: Verdict[] = [];
  readonly counts: Draft<FoldCounts> = { repeats: 0, gaps: 0, foreign: 0, unreadable: 0 };

  constructor(partition: number, position: StoredPosition, space: Bytes | undefined) {
    this.partition = partition;
    this.position = { ...position };
    this.space = space;
  }

  /** `next` never moves back, and a record that another process has read before is not counted as skipped again. */
  count(at: number, judgement: Judgement | "unreadable", offset: number): void {
    if (judgement === "repeat") this.counts.repeats += 1;
    else if (judgement !== "next") this.counts[judgement === "gap" ? "gaps" : judgement] += 1;
    const { position } = this;
    if (offset > position.seen) {
      position.seen = offset;
      this.isChanged = true;
    }
    if (at < position.next) return;
    position.next = at + 1;
    if (judgement !== "repeat" && judgement !== "next") position.skipped += 1;
    this.isChanged = true;
  }

  advance(verdict: Verdict, writes: number): void {
    const { position } = this;
    position.offset = verdict.offset;
    position.chain = verdict.chain;
    position.digest = verdict.digest;
    position.time = verdict.time;
    position.skipped = 0;
    position.writes = writes;
    this.isChanged = true;
    this.applied.push(verdict);
  }
}
