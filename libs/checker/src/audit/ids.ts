import {
  claimsId,
  type DecodedRecord,
  type Offset,
  type Outcome,
  type RefusalCode,
  type Verdict,
} from "@seriatim/protocol";
import type { ClaimedIds } from "./claims.ts";
import type { StandingHolds } from "./standing-holds.ts";

/** What is known of those before a verdict, and the offset from which on it is. */
export interface Before {
  readonly claims: ClaimedIds;
  readonly holds: StandingHolds;
  readonly start: Offset;
}

/** What a verdict says of its id that those before it do not bear out; undefined when nothing. */
export function idFault(
  { id, offset, outcome, digest }: Verdict,
  record: DecodedRecord | undefined,
  { claims, holds, start }: Before,
): string | undefined {
  const claim = id === null ? undefined : claims.get(id, offset);
  if (claimsId(outcome)) {
    if (id === null) return `the verdict of ${offset} decides an intent without naming its id`;
    if (claim === undefined) return undefined;
    return `id ${JSON.stringify(id)} was decided at ${claim.offset}, and again at ${offset}`;
  }
  const first = firstOf(outcome);
  if (first === null) return undefined;
  if (id !== null && namesHold(outcome, record)) {
    if (holds.of(id, offset).some((hold) => hold.offset === first)) return undefined;
    if (record !== undefined && first >= offset)
      return `the verdict of ${offset} says that id ${JSON.stringify(id)} held at ${first}, which is not before it`;
    if (record !== undefined || first < start) return undefined;
  }
  const says = `the verdict of ${offset} says that id ${JSON.stringify(id)} was decided at ${first}`;
  if (claim === undefined) return first < offset ? undefined : `${says}, which is not before it`;
  if (claim.offset !== first) return `${says}; it was decided at ${claim.offset}`;
  if (outcome.kind === "repeated" && record?.kind === "submit" && claim.digest !== digest)
    return `${says} by the same record, which stands there with other bytes`;
  if (outcome.kind === "refused" && outcome.code !== "closed" && (outcome.code === "cancelled") !== claim.isCancel)
    return `${says} by a ${outcome.code === "cancelled" ? "cancel" : "submit"}, and it was none`;
  return undefined;
}

/** Where the outcome says that the id was decided. */
function firstOf(outcome: Outcome): number | null {
  switch (outcome.kind) {
    case "repeated":
      return outcome.first;
    case "refused":
      return naming.has(outcome.code) ? (outcome.first ?? Infinity) : null;
    case "genesis":
    case "committed":
    case "cancelled":
    case "held":
    case "expired":
      return null;
  }
}

const naming: ReadonlySet<RefusalCode> = new Set(["id_reused", "closed", "cancelled"]);

/** Whether the first that is named may be a hold, in place of what decided the id: of a hold it is one. */
function namesHold(outcome: Outcome, record: DecodedRecord | undefined): boolean {
  if (outcome.kind !== "repeated" && !(outcome.kind === "refused" && outcome.code === "id_reused")) return false;
  return record === undefined || record.kind === "hold";
}
