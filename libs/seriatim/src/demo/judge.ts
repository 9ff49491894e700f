import { isDeepStrictEqual } from "node:util";
import type { Version } from "@seriatim/protocol";
import { groupOf, isCredit } from "./keys.ts";
import { mostCredits } from "./plan.ts";

/** A write that an agent was told had committed. Nobody deletes or releases anything, so it must stand at the end. */
export interface Claim {
  readonly agent: string;
  readonly run: string;
  readonly key: string;
  readonly value: unknown;
  readonly version: Version;
}

export interface Written {
  readonly version: Version;
  readonly value: unknown;
}

/** What the view says at the end, and what the agents say. */
export interface Evidence {
  /** Every credit and every seat, with what it holds. */
  readonly standing: ReadonlyMap<string, unknown>;
  /** All writes of each key that was claimed. */
  readonly history: ReadonlyMap<string, readonly Written[]>;
  readonly claims: readonly Claim[];
}

export interface Judgement {
  /** Customers' months with more credits than allowed, by the prefix of their keys, and how many stand. */
  readonly overLimit: ReadonlyMap<string, number>;
  /** Seats that were acknowledged to one agent and show another, with all who were told that they have it. */
  readonly soldTwice: ReadonlyMap<string, readonly Claim[]>;
  /** Acknowledged writes that the history lacks, or that somebody overwrote. */
  readonly lost: readonly Claim[];
}

export function judge(evidence: Evidence): Judgement {
  return { overLimit: overLimit(evidence), soldTwice: soldTwice(evidence), lost: lost(evidence) };
}

/** How often the invariant was broken. */
export function violationsOf({ overLimit: months, soldTwice: seats }: Judgement): number {
  return months.size + seats.size;
}

function overLimit({ standing }: Evidence): Map<string, number> {
  const credits = new Map<string, number>();
  for (const key of standing.keys()) if (isCredit(key)) credits.set(groupOf(key), (credits.get(groupOf(key)) ?? 0) + 1);
  return new Map([...credits].filter(([, count]) => count > mostCredits));
}

function soldTwice(evidence: Evidence): Map<string, readonly Claim[]> {
  const sold = new Map<string, Claim[]>();
  for (const claim of evidence.claims) {
    if (isCredit(claim.key)) continue;
    sold.set(claim.key, [...(sold.get(claim.key) ?? []), claim]);
  }
  return new Map([...sold].filter(([, claims]) => claims.some((claim) => !stands(evidence, claim))));
}

function lost(evidence: Evidence): Claim[] {
  return evidence.claims.filter((claim) => !stands(evidence, claim) || !isRecorded(evidence, claim));
}

function stands({ standing }: Evidence, { key, value }: Claim): boolean {
  return isDeepStrictEqual(standing.get(key), value);
}

function isRecorded({ history }: Evidence, { key, value, version }: Claim): boolean {
  const writes = history.get(key) ?? [];
  return writes.some((write) => isDeepStrictEqual(write.version, version) && isDeepStrictEqual(write.value, value));
}
