import type { Database, Statement } from "better-sqlite3";
import { bufferOf, claimsId, type AppliedWrite, type Key, type Offset, type Verdict } from "@seriatim/protocol";
import { encodeConflicts } from "./conflicts.ts";
import { placeOf } from "./place.ts";

/** Before a refusal's code in view_tallies: `cancelled` is a code and a kind of outcome. */
export const refusedPrefix = "refused ";

/** The last write of each key that a fold has written, to be stored at its end. */
export type LatestWrites = Map<Key, LatestWrite>;

interface LatestWrite {
  readonly bytes: Buffer;
  readonly version: Offset;
  readonly place: number;
  readonly live: 0 | 1;
}

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

  /**
   * Stores a verdict but for the last write of each key, which it notes in `latest`.
   * @returns the number of writes in the partition, `writes` being that before it.
   */
  apply(verdict: Verdict, writes: number, latest: LatestWrites): number {
    const after =
      verdict.outcome.kind === "committed" ? this.#write(verdict, verdict.outcome.writes, writes, latest) : writes;
    this.#decide(verdict, after);
    return after;
  }

  #write(
    { partition, offset }: Verdict,
    applied: readonly AppliedWrite[],
    before: number,
    latest: LatestWrites,
  ): number {
    let writes = before;
    for (const { key, value } of applied) {
      writes += 1;
      const place = placeOf(partition, writes);
      const bytes = bufferOf(key);
      this.#version.run(place, offset, bytes, value);
      latest.set(key, { bytes, version: offset, place, live: value === null ? 0 : 1 });
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

  /** Stores the last write of each key: once, and in the order of the keys, so that a page is sought once. */
  storeLatest(latest: LatestWrites): void {
    const inOrder = latest.size > 1 ? [...latest].toSorted(([a], [b]) => (a < b ? -1 : 1)) : latest;
    for (const [, { bytes, version, place, live }] of inOrder) this.#latest.run(bytes, version, place, live);
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
