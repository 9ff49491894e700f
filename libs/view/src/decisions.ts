import type { SqliteFile } from "@seriatim/log";
import {
  assert,
  bytesOf,
  type InvalidReason,
  type Offset,
  type Outcome,
  type RefusalCode,
  type Verdict,
} from "@seriatim/protocol";
import { decodeConflicts } from "./conflicts.ts";
import { refusedPrefix } from "./fold-statements.ts";
import type { Holds } from "./holds.ts";
import { hashOfId } from "./id-hash.ts";
import { lastPlace, numberAt, partitionAt, placeOf } from "./place.ts";
import { Query } from "./query.ts";
import { decisionOf, mostRecent, RecentDecisions } from "./recent-decisions.ts";
import type { Claim, DecidedOutcome, Decision, RecentClaim, Statistics } from "./types.ts";

interface Row {
  readonly place: number;
  readonly time: number;
  readonly kind: Outcome["kind"];
  readonly code: RefusalCode | null;
  readonly reason: InvalidReason | null;
  readonly first: number | null;
  readonly id: string | null;
  readonly agent: string | null;
  readonly digest: Buffer;
  readonly conflicts: string | null;
  readonly result: Buffer | null;
}

interface ClaimRow {
  readonly place: number;
  readonly id: string;
  readonly kind: Outcome["kind"];
  readonly digest: Buffer;
}

interface Moment {
  readonly place: number;
  readonly time: number;
}

/** How many rows one page of `recentClaims` takes at once. */
const pageSize = 4096;

/** And of `between`, whose rows are larger. */
const decisionsAtOnce = 256;

/** What was decided, by offset, id and log time. */
export class Decisions {
  readonly #at: Query<[number], Row>;
  readonly #of: Query<[Sought], Row>;
  readonly #claim: Query<[Sought], ClaimRow>;
  readonly #between: Query<[number, number, number], Row>;
  readonly #claims: Query<[number, number, number], ClaimRow>;
  readonly #moment: Query<[number, number], Moment>;
  readonly #tallies: Query<[number], { name: string; count: number }>;

  readonly #file: SqliteFile;
  readonly #holds: Holds;
  readonly #recent = new Map<number, RecentDecisions>();

  constructor(file: SqliteFile, holds: Holds) {
    this.#file = file;
    this.#holds = holds;
    const row = "SELECT place, time, kind, code, reason, first, id, agent, digest, conflicts, result FROM view_intents";
    const claim = "SELECT place, id, kind, digest FROM view_intents";
    const byId = `INDEXED BY view_claims
      WHERE claims = 1 AND hash = @hash AND id = @id AND place > @before AND place <= @last`;
    const inOrder = "NOT INDEXED WHERE place > ? AND place <= ?";
    this.#at = Query.ofRows(file, `${row} WHERE place = ?`);
    this.#of = Query.ofRows(file, `${row} ${byId} ORDER BY place LIMIT 1`);
    this.#claim = Query.ofRows(file, `${claim} ${byId} ORDER BY place DESC LIMIT 1`);
    this.#between = Query.ofRows(file, `${row} ${inOrder} ORDER BY place LIMIT ?`);
    this.#claims = Query.ofRows(file, `${claim} ${inOrder} AND claims = 1 ORDER BY place LIMIT ?`);
    this.#moment = Query.ofRows(file, `SELECT place, time FROM view_intents ${inOrder} ORDER BY place DESC LIMIT 1`);
    this.#tallies = Query.ofRows(file, "SELECT name, count FROM view_tallies WHERE partition = ?");
  }

  at(partition: number, offset: Offset): Decision | undefined {
    if (offset < 0) return undefined;
    const row = this.#at.get(placeOf(partition, offset));
    return row === undefined ? undefined : this.#decision(row);
  }

  of(id: string, partition?: number): Decision | undefined {
    const row = this.#of.get(sought(id, partition === undefined ? everywhere : allOf(partition)));
    return row === undefined ? undefined : this.#decision(row);
  }

  claim(partition: number, id: string): Claim | undefined {
    const row = this.#claim.get(sought(id, allOf(partition)));
    return row === undefined ? undefined : claimOf(row);
  }

  /** In `(after, upTo]`, in order of offset. */
  between(partition: number, after: Offset, upTo: Offset): Iterable<Decision> {
    if (upTo - after > mostRecent || this.#file.database.inTransaction) return this.#pages(partition, after, upTo);
    const recent = this.#recentFor(partition, after);
    if (upTo > recent.last) recent.add([...this.#pages(partition, recent.last, upTo)]);
    return recent.between(after, upTo);
  }

  *#pages(partition: number, after: Offset, upTo: Offset): Iterable<Decision> {
    const last = lastPlace(partition, upTo);
    for (let done: number | undefined = lastPlace(partition, after); done !== undefined && done < last;) {
      const rows: Row[] = this.#between.all(done, last, decisionsAtOnce);
      yield* rows.map((row) => this.#decision(row));
      done = rows.length < decisionsAtOnce ? undefined : rows.at(-1)?.place;
    }
  }

  /**
   * Takes note of verdicts that were applied, in one fold that was committed, so that they need not be read. The last
   * ones do.
   */
  note(partition: number, applied: readonly Verdict[]): void {
    const last = applied.slice(-mostRecent);
    const [first] = last;
    if (first === undefined) return;
    const before = first.predecessor.offset;
    const recent = this.#recentFor(partition, before);
    // Others may have folded in between, and what came first may have been read since.
    if (recent.last === before) recent.add(last.map(decisionOf));
  }

  #recentFor(partition: number, after: Offset): RecentDecisions {
    const found = this.#recent.get(partition);
    if (found?.reaches(after) === true) return found;
    const recent = new RecentDecisions(after);
    this.#recent.set(partition, recent);
    return recent;
  }

  *recentClaims(partition: number, after: Offset): Iterable<RecentClaim> {
    const { last } = allOf(partition);
    for (let done: number | undefined = lastPlace(partition, after); done !== undefined;) {
      const rows: ClaimRow[] = this.#claims.all(done, last, pageSize);
      for (const row of rows) yield { id: row.id, ...claimOf(row) };
      done = rows.length < pageSize ? undefined : rows.at(-1)?.place;
    }
  }

  /** Log time never falls from one offset to the next, so a search by halves needs no index by time. */
  offsetAt(partition: number, time: number): Offset {
    let low = -1;
    let high = this.#upTo(partition, Number.MAX_SAFE_INTEGER)?.offset ?? -1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const found = this.#upTo(partition, middle);
      if (found === undefined || found.time <= time) low = middle;
      else high = found.offset - 1;
    }
    return this.#upTo(partition, low)?.offset ?? -1;
  }

  timeAt(partition: number, at: Offset): number {
    return this.#upTo(partition, at)?.time ?? 0;
  }

  statistics(partition: number): Statistics {
    const counts = new Map(this.#tallies.all(partition).map(({ name, count }) => [name, count]));
    const of = (kind: Outcome["kind"]): number => counts.get(kind) ?? 0;
    const refusals: Partial<Record<RefusalCode, number>> = {};
    const [commits, cancels, holds, expired] = [of("committed"), of("cancelled"), of("held"), of("expired")];
    let intents = commits + cancels + holds + expired + of("repeated");
    for (const [name, count] of counts) {
      if (!name.startsWith(refusedPrefix)) continue;
      refusals[name.slice(refusedPrefix.length) as RefusalCode] = count;
      intents += count;
    }
    return { intents, commits, cancels, holds, expired, repeated: of("repeated"), refusals };
  }

  #decision(row: Row): Decision {
    const { place, id, agent, time, digest } = row;
    return {
      partition: partitionAt(place),
      offset: numberAt(place),
      id,
      agent,
      time,
      digest: bytesOf(digest),
      outcome: row.kind === "held" ? this.#holds.at(place) : outcomeOf(row, row.kind),
    };
  }

  /** The last intents record at or below an offset. */
  #upTo(partition: number, offset: Offset): { offset: Offset; time: number } | undefined {
    const found = this.#moment.get(lastPlace(partition, -1), lastPlace(partition, offset));
    return found === undefined ? undefined : { offset: numberAt(found.place), time: found.time };
  }
}

interface Places {
  /** Exclusive. */
  readonly before: number;
  /** Inclusive. */
  readonly last: number;
}

type Sought = Places & { readonly id: string; readonly hash: number };

function sought(id: string, { before, last }: Places): Sought {
  return { id, hash: hashOfId(id), before, last };
}

const everywhere: Places = { before: -1, last: Number.MAX_SAFE_INTEGER };

function allOf(partition: number): Places {
  return { before: lastPlace(partition, -1), last: lastPlace(partition, Number.MAX_SAFE_INTEGER) };
}

function claimOf({ place, digest, kind }: ClaimRow): Claim {
  return { offset: numberAt(place), digest: bytesOf(digest), cancelled: kind === "cancelled" || kind === "expired" };
}

function outcomeOf(row: Row, kind: Exclude<Outcome["kind"], "held">): DecidedOutcome {
  const { code, reason, first, conflicts, result } = row;
  switch (kind) {
    case "genesis":
    case "cancelled":
    case "expired":
      return { kind };
    case "committed":
      return { kind, result };
    case "refused":
      assert(code !== null, `the refusal at place ${row.place} of the view has no code`);
      return { kind, code, reason, conflicts: decodeConflicts(conflicts), first };
    case "repeated":
      assert(first !== null, `the repeated record at place ${row.place} of the view does not say what it repeats`);
      return { kind, first };
  }
}
