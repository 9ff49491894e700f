import type { Database, Statement } from "better-sqlite3";
import { bufferOf, claimsId, type AppliedWrite, type Verdict } from "@seriatim/protocol";
import { encodeConflicts } from "./conflicts.ts";
import { placeOf } from "./place.ts";

/** Before a refusal's code in view_tallies: `cancelled` is a code and a kind of outcome. */
export const refusedPrefix = "refused ";

type Value = number | string | Uint8Array | null;

/** Writes the rows of applied verdicts. */
export class FoldStatements {
  readonly #version: Statement<[number, number, Buffer, Uint8Array | null]>;
  readonly #latest: Statement<[Buffer, number, number, number]>;
  readonly #intent: Statement<Value[]>;
  readonly #tally: Statement<[number, string, number]>;

  constructor(database: Database) {
    this.#version = database.prepare("INSERT INTO view_versions (place, version, key, value) VALUES (?, ?, ?, ?)");
    this.#latest = database.prepare(
      "INSERT OR REPLACE INTO view_latest (key, version, place, live) VALUES (?, ?, ?, ?)",
    );
    this.#intent = database.prepare(
      `INSERT INTO view_intents
         (place, time, writes, claims, kind, code, reason, first, id, agent, digest, conflicts, result)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#tally = database.prepare(
      `INSERT INTO view_tallies (partition, name, count) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    );
  }

  /** @returns the number of writes in the partition, `writes` being that before it. */
  apply(verdict: Verdict, writes: number): number {
    const { outcome } = verdict;
    const after = outcome.kind === "committed" ? this.#write(verdict, outcome.writes, writes) : writes;
    this.#decide(verdict, after);
    return after;
  }

  #write({ partition, offset }: Verdict, applied: readonly AppliedWrite[], before: number): number {
    let writes = before;
    for (const { key, value } of applied) {
      writes += 1;
      const place = placeOf(partition, writes);
      const bytes = bufferOf(key);
      this.#version.run(place, offset, bytes, value);
      this.#latest.run(bytes, offset, place, value === null ? 0 : 1);
    }
    return writes;
  }

  #decide(verdict: Verdict, writes: number): void {
    const { partition, offset, time, id, agent, digest, outcome } = verdict;
    const refusal = outcome.kind === "refused" ? outcome : undefined;
    this.#intent.run(
      placeOf(partition, offset),
      time,
      writes,
      claimsId(outcome) ? 1 : 0,
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
