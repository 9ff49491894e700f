import type { Bytes, Key, KeyRange } from "./keys.ts";

/** 32 bytes of SHA-256. */
export type Digest = Bytes;

/** The hash that the core is given, so that it need not import one. */
export type Hash = (bytes: Uint8Array) => Digest;

/** A record's place in the log of its partition. */
export type Offset = number;

/** The offset of the intents record that made a write take effect, with its partition. */
export interface Version {
  readonly partition: number;
  readonly offset: Offset;
}

/** How far a reader has come: the offset of the last intents record with an applied verdict, and its chain hash. */
export interface Position {
  readonly offset: Offset;
  readonly chain: Digest;
}

export const isolations = ["serializable", "snapshot", "none"] as const;
export type Isolation = (typeof isolations)[number];

/** A key as read: the version observed, or null when there was none. */
export interface Point {
  readonly key: Key;
  readonly version: Offset | null;
}

/** A write; `value` null deletes. A blind write is not checked against what changed since the snapshot. */
export interface Write {
  readonly key: Key;
  readonly value: Uint8Array | null;
  readonly blind: boolean;
}

/** A write as committed: whether it was blind no longer matters. */
export type AppliedWrite = Omit<Write, "blind">;

/** Something to be done outside once the intent has committed. Arguments are JSON, and opaque here. */
export interface Effect {
  /** Of the handler that does it. */
  readonly name: string;
  /** Effects of one lane leave in log order. */
  readonly lane: string;
  readonly arguments: Uint8Array;
}

/** The limits that a genesis sets, by name. Sizes in bytes, everything else a count unless it says so. */
export interface Limits {
  /** A key in UTF-8. */
  readonly keyBytes: number;
  readonly valueBytes: number;
  /** The function's return value that an intent carries. */
  readonly resultBytes: number;
  /** An intent's id, and the name of an agent, a handler or a lane, in UTF-8. */
  readonly nameBytes: number;
  /** The arguments of an effect or a hold. */
  readonly effectBytes: number;
  readonly points: number;
  readonly ranges: number;
  readonly writes: number;
  readonly effects: number;
  /** How many holds an id may have: their index is below. */
  readonly holds: number;
  /** How long a hold may be leased, in ms. */
  readonly leaseMs: number;
  /** An intents record as encoded. */
  readonly recordBytes: number;
  /** A verdict as encoded; what would exceed it is refused `too_large`. */
  readonly verdictBytes: number;
  /** How many conflicts a refusal names. */
  readonly conflicts: number;
  /** How many partition keys an intent may touch: 1, or 0 for any number, which only a space of one partition allows. */
  readonly partitionKeys: number;
  /** How many offsets an intent's snapshot may lie behind its own offset. */
  readonly window: number;
}

/** What a record of a given kind is written with: the full text of its Avro schema. */
export interface AdmittedSchema {
  readonly kind: RecordKind;
  readonly text: string;
}

export const intentKinds = ["submit", "cancel", "hold", "expire"] as const;
/** The records of an intents log after its genesis. */
export type IntentKind = (typeof intentKinds)[number];

export const effectRecordKinds = ["claim", "report", "decision"] as const;

export const recordKinds = [...intentKinds, "verdict", ...effectRecordKinds] as const;
export type RecordKind = (typeof recordKinds)[number];

/** The first record of every partition: all that a verdict depends on besides the intents themselves. */
export interface Genesis {
  readonly kind: "genesis";
  /** The space's identity: 16 random bytes. */
  readonly space: Bytes;
  /** The version of the rules by which its intents are judged. */
  readonly rules: number;
  readonly partitions: number;
  readonly limits: Limits;
  /** The schemas with which records may be written; anything else is `invalid`. */
  readonly schemas: readonly AdmittedSchema[];
}

interface Addressed {
  readonly space: Bytes;
  readonly partition: number;
  readonly id: string;
  readonly agent: string;
  /** The offset up to which the view was applied when the transaction began. */
  readonly snapshot: Offset;
}

/** What an agent asks for. */
export interface Submit extends Addressed {
  readonly kind: "submit";
  readonly isolation: Isolation;
  readonly points: readonly Point[];
  readonly ranges: readonly KeyRange[];
  readonly writes: readonly Write[];
  readonly effects: readonly Effect[];
  /**
   * Offsets of the holds that it confirms, rising. Two may run under one id: a hold of the id that the one which commits
   * does not name is undone.
   */
  readonly holds: readonly Offset[];
  /** Refused `not_in_time` if log time is below; ms since 1970, inclusive. */
  readonly validFrom: number | null;
  /** Refused `not_in_time` if log time is at it or above; ms since 1970, exclusive. */
  readonly validUntil: number | null;
  /** The transaction function's return value, encoded; null when it returned nothing. */
  readonly result: Uint8Array | null;
}

/** What an intent says that neither reads, writes nor asks for anything. */
export const emptyIntent = {
  kind: "submit",
  partition: 0,
  snapshot: 0,
  isolation: "serializable",
  points: [],
  ranges: [],
  writes: [],
  effects: [],
  holds: [],
  validFrom: null,
  validUntil: null,
  result: null,
} as const satisfies Omit<Submit, "space" | "id" | "agent">;

/** Closes an id whose outcome its client does not know: the first of submit and cancel in the log wins. */
export interface Cancel extends Addressed {
  readonly kind: "cancel";
}

/**
 * Announces a call to the outside that is made before the intent under the same id is decided. Its verdict is read back
 * first. It claims no id: the submit under it is still to come.
 */
export interface Hold extends Addressed {
  readonly kind: "hold";
  /** Unique to the call of the transaction's function: two that run under one id do not send the same hold. */
  readonly attempt: string;
  /** Among the holds of its id, from 0. */
  readonly index: number;
  /** Of the handler. */
  readonly name: string;
  readonly arguments: Uint8Array;
  /** The handler that undoes the call if the intent does not commit; null where nothing can. */
  readonly undo: string | null;
  /** After so many ms of log time anyone may expire it. */
  readonly lease: number;
  /** How many ms the call may take: less than the lease. */
  readonly timeout: number;
}

/** Closes the id of a hold whose lease has run out. Anyone may append it. */
export interface Expire extends Addressed {
  readonly kind: "expire";
  /** Offset of the hold, above the snapshot, which may be any. */
  readonly hold: Offset;
}

export type Intent = Submit | Cancel | Hold | Expire;

/**
 * Why an intents record was refused. Of a submit in order of precedence, the first that applies: `invalid`, `too_old`,
 * `id_reused`, `cancelled`, `not_in_time`, `conflict`, `too_large`; the last three claim its id for good. A hold may be
 * refused `id_reused` (its index is taken) and `closed` (its id is claimed), an expire `no_hold` and `not_expired`.
 */
export const refusalCodes = [
  "invalid",
  "too_old",
  "id_reused",
  "closed",
  "cancelled",
  "no_hold",
  "not_expired",
  "not_in_time",
  "conflict",
  "too_large",
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** Why a record is `invalid`: a closed list, for its words stand in verdicts. */
export const invalidReasons = [
  "not_a_record",
  "schema_not_admitted",
  "undecodable",
  "genesis_repeated",
  "other_space",
  "wrong_partition",
  "record_too_large",
  "bad_name",
  "bad_key",
  "bad_range",
  "key_repeated",
  "partition_keys",
  "value_too_large",
  "result_too_large",
  "too_many_points",
  "too_many_ranges",
  "too_many_writes",
  "too_many_effects",
  "too_many_holds",
  "effect_too_large",
  "bad_effect",
  "bad_hold",
  "snapshot_not_before_record",
  "point_above_snapshot",
] as const;
export type InvalidReason = (typeof invalidReasons)[number];

export const conflictKinds = ["point", "range", "write"] as const;
export type ConflictKind = (typeof conflictKinds)[number];

/** A key that an intent rests on and that was written or deleted after its snapshot, and by which version last. */
export interface Conflict {
  readonly kind: ConflictKind;
  readonly key: Key;
  readonly version: Offset;
}

/** The decided answer to one intents record. */
export type Outcome =
  /** The partition's genesis. */
  | { readonly kind: "genesis"; readonly genesis: Uint8Array }
  | {
      readonly kind: "committed";
      readonly writes: readonly AppliedWrite[];
      readonly effects: readonly Effect[];
      /** The holds of its id that it confirms; the others are undone. */
      readonly holds: readonly Offset[];
      readonly result: Uint8Array | null;
    }
  | {
      readonly kind: "refused";
      readonly code: RefusalCode;
      /** With `invalid` only. */
      readonly reason: InvalidReason | null;
      /** With `conflict` only: in read-set order, then write order, each key once, capped. */
      readonly conflicts: readonly Conflict[];
      /** With `id_reused`, `closed` and `cancelled`: the offset of the record that claimed the id, or the hold's index. */
      readonly first: Offset | null;
    }
  /** A cancel that closed its id. */
  | { readonly kind: "cancelled" }
  /** A hold that stands: its call may start, while there is time for it before the lease runs out. */
  | {
      readonly kind: "held";
      readonly index: number;
      readonly name: string;
      readonly arguments: Uint8Array;
      readonly undo: string | null;
      /** Log time from which on it may be expired, in ms since 1970. */
      readonly deadline: number;
      readonly timeout: number;
    }
  /** An expire that closed its id. */
  | { readonly kind: "expired" }
  /** The same record again, or a cancel or expire for an id already decided: see the verdict of `first`. */
  | { readonly kind: "repeated"; readonly first: Offset };

/** One record of the verdicts log. */
export interface Verdict {
  readonly space: Bytes;
  readonly partition: number;
  /** The offset of the intents record that this answers. */
  readonly offset: Offset;
  /** The verdict before it in this partition; offset -1 and 32 zero bytes before the genesis. */
  readonly predecessor: Position;
  /** SHA-256 of the intents record. */
  readonly digest: Digest;
  /** The intent's id and agent; null where the record has none that could be read. */
  readonly id: string | null;
  readonly agent: string | null;
  /** Log time at the record: the highest append time so far, in ms since 1970. */
  readonly time: number;
  readonly outcome: Outcome;
  /** SHA-256 of everything above as encoded. */
  readonly chain: Digest;
}

export const beforeGenesis: Position = { offset: -1, chain: "\0".repeat(32) as Digest };

/** What of an outcome says whether it claims an id. */
type Claiming =
  { readonly kind: Exclude<Outcome["kind"], "refused"> } | { readonly kind: "refused"; readonly code: RefusalCode };

/** Whether the outcome claims the intent's id for good. */
export function claimsId(outcome: Claiming): boolean {
  switch (outcome.kind) {
    case "committed":
    case "cancelled":
    case "expired":
      return true;
    case "refused":
      return outcome.code === "not_in_time" || outcome.code === "conflict" || outcome.code === "too_large";
    case "genesis":
    case "held":
    case "repeated":
      return false;
  }
}

/**
 * How a verdict stands to a reader's position (invariant 3): `next` is the one to apply; a `repeat` answers what is
 * already answered, and the first answer stands; a `gap` lacks its predecessor here, and is skipped.
 */
export type Link = "next" | "repeat" | "gap";

export function linkOf(position: Position, verdict: Pick<Verdict, "offset" | "predecessor">): Link {
  if (verdict.offset <= position.offset) return "repeat";
  const { offset, chain } = verdict.predecessor;
  return offset === position.offset && chain === position.chain ? "next" : "gap";
}
