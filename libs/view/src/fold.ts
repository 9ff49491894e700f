import type { Database } from "better-sqlite3";
import { assert, type Verdict } from "@seriatim/protocol";
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
    const before = this.#positions.stored(partition);
    const batch = new Batch(partition, before);
    for (const { at, verdict } of records) {
      const judgement = verdict === undefined ? "unreadable" : this.#judge(batch, verdict);
      batch.count(at, judgement);
      if (verdict !== undefined && judgement === "next")
        batch.advance(verdict, this.#statements.apply(verdict, batch.position.writes));
    }
    if (batch.applied.length > 0) this.#statements.tally(partition, batch.applied);
    const after = batch.position;
    if (after !== before) this.#positions.store(partition, after);
    const { writes: _, ...position } = after;
    return { ...batch.counts, position, applied: batch.applied };
  }

  #judge({ partition, position }: Batch, verdict: Verdict): Judgement {
    if (verdict.partition !== partition) return "foreign";
    if (position.offset >= 0 && verdict.space !== this.#identity.space()) return "foreign";
    if (verdict.offset <= position.offset) return "repeat";
    const { offset, chain } = verdict.predecessor;
    if (offset !== position.offset || chain !== position.chain) return "gap";
    const { outcome, space } = verdict;
    if (outcome.kind === "genesis") return this.#identity.admits(space, outcome.genesis) ? "next" : "foreign";
    return position.offset >= 0 ? "next" : "foreign";
  }
}

/** What one call has read so far. */
class Batch {
  readonly partition: number;
  position: StoredPosition;
  readonly applied: Verdict[] = [];
  readonly counts: { -readonly [K in keyof FoldCounts]: number } = { repeats: 0, gaps: 0, foreign: 0, unreadable: 0 };

  constructor(partition: number, position: StoredPosition) {
    this.partition = partition;
    this.position = position;
  }

  /** `next` never moves back, and a record that another process has read before is not counted as skipped again. */
  count(at: number, judgement: Judgement | "unreadable"): void {
    const isNew = at >= this.position.next;
    let isSkipped = false;
    if (judgement === "repeat") this.counts.repeats += 1;
    else if (judgement !== "next") {
      this.counts[judgement === "gap" ? "gaps" : judgement] += 1;
      isSkipped = isNew;
    }
    if (isNew) this.position = { ...this.position, next: at + 1, skipped: this.position.skipped + (isSkipped ? 1 : 0) };
  }

  advance(verdict: Verdict, writes: number): void {
    const { offset, chain, digest, time } = verdict;
    this.position = { offset, chain, digest, time, next: this.position.next, skipped: 0, writes };
    this.applied.push(verdict);
  }
}
