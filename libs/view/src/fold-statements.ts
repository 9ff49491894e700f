import type { Database, Statement } from "better-sqlite3";
import { assert, bufferOf, claimsId, type AppliedWrite, type Outcome, type Verdict } from "@seriatim/protocol";
import { encodeConflicts } from "./conflicts.ts";
import { hashOfId } from "./id-hash.ts";
import { KeyStatements, KeyWrites } from "./key-statements.ts";
import { placeOf } from "./place.ts";
import { Repeated, Rows } from "./rows.ts";

/** Before a refusal's code in view_tallies: `cancelled` is a code and a kind of outcome. */
export const refusedPrefix = "refused ";

/** The rows of the verdicts that a fold applies. */
export class FoldedRows {
  readonly #versions: Rows;
  readonly #intents: Rows;
  readonly #holds: Rows;
  readonly #keys = new KeyWrites();
  readonly #keyStatements: KeyStatements;

  constructor(versions: Rows, intents: Rows, holds: Rows, keyStatements: KeyStatements) {
    this.#versions = versions;
    this.#intents = intents;
    this.#holds = holds;
    this.#keyStatements = keyStatements;
  }

  /** @returns the number of writes in the partition, `writes` being that before the verdict. */
  add(verdict: Verdict, writes: number): number {
    const { outcome } = verdict;
    const after = outcome.kind === "committed" ? this.#addWrites(verdict, outcome.writes, writes) : writes;
    this.#addDecision(verdict, after);
    if (outcome.kind === "held") this.#addHold(verdict, outcome);
    return after;
  }

  #addWrites({ partition, offset }: Verdict, applied: readonly AppliedWrite[], before: number): number {
    let writes = before;
    for (const { key, value } of applied) {
      writes += 1;
      const place = placeOf(partition, writes);
      const bytes = bufferOf(key);
      this.#versions.add(place, offset, bytes, value);
      this.#keys.add(key, { bytes, version: offset, place, live: value === null ? 0 : 1 });
    }
    return writes;
  }

  #addDecision(verdict: Verdict, writes: number): void {
    const { partition, offset, time, id, agent, digest, outcome } = verdict;
    const refusal = outcome.kind === "refused" ? outcome : undefined;
    const claims = claimsId(outcome);
    this.#intents.add(
      placeOf(partition, offset),
      time,
      writes,
      claims ? 1 : 0,
      claims && id !== null ? hashOfId(id) : null,
      outcome.kind,
      refusal?.code ?? null,
      refusal?.reason ?? null,
      "first" in outcome ? outcome.first : null,
      id,
      agent,
      bufferOf(digest),
      refusal === undefined || refusal.conflicts.length === 0 ? null : encodeConflicts(refusal.conflicts),
      outcome.kind === "committed" ? outcome.result : null,
    );
  }

  #addHold({ partition, offset, id }: Verdict, { index, deadline, timeout, name, undo }: Held): void {
    assert(id !== null, "a hold names its id");
    this.#holds.add(placeOf(partition, offset), hashOfId(id), index, deadline, timeout, name, undo);
  }

  /** Stores what is not stored yet: above all, the last write of each key, once. */
  end(): void {
    this.#versions.end();
    this.#intents.end();
    this.#holds.end();
    this.#keyStatements.store(this.#keys);
  }
}

const versionColumns = ["place", "version", "key", "value"];
const decided = ["place", "time", "writes", "claims", "hash", "kind", "code", "reason", "first"];
const intentColumns = [...decided, "id", "agent", "digest", "conflicts", "result"];
const holdColumns = ["place", "hash", "number", "deadline", "timeout", "name", "undo"];

type Held = Extract<Outcome, { readonly kind: "held" }>;

/** Writes the rows of applied verdicts. */
export class FoldStatements {
  readonly #versions: Repeated;
  readonly #intents: Repeated;
  readonly #holds: Repeated;
  readonly #keys: KeyStatements;
  readonly #tally: Statement<[number, string, number]>;

  constructor(database: Database) {
    this.#versions = Repeated.insert(database, "INSERT OR FAIL INTO view_versions", versionColumns);
    this.#intents = Repeated.insert(database, "INSERT OR FAIL INTO view_intents", intentColumns);
    this.#holds = Repeated.insert(database, "INSERT OR FAIL INTO view_holds", holdColumns);
    this.#keys = new KeyStatements(database);
    this.#tally = database.prepare(
      `INSERT INTO view_tallies (partition, name, count) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    );
  }

  /** For one fold. */
  begin(): FoldedRows {
    return new FoldedRows(new Rows(this.#versions), new Rows(this.#intents), new Rows(this.#holds), this.#keys);
  }

  /** Counts by kind, and refusals by code. */
  tally(partition: number, verdicts: readonly Verdict[]): void {
    const counts = new Map<string, number>();
    for (const { outcome } of verdicts) {
      const name = outcome.kind === "refused" ? `${refusedPrefix}${outcome.code}` : outcome.kind;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    for (const [name, count] of counts) this.#tally.run(partition, name, count);
  }
}
