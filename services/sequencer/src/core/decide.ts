/*
 * The one decision of a space. Invariants (numbered as in ARCHITECTURE.md):
 *
 *  1  The verdict, to the byte, is a function of the partition's intents log up to the record. Log time is the highest
 *     append time so far.
 *  2  All limits come from the genesis.
 *  3  The verdict names its record's offset and digest, and its predecessor; all of it goes into its chain hash.
 *  5  Serializable checks points, ranges, and writes that are not blind; snapshot checks writes that are not blind;
 *     none checks nothing. Validity intervals bind at every level.
 *  6  An id decides once: the first record that claims it. A hold claims none, but is refused where one is claimed.
 *  7  Nothing here can tell whether the state remembers what is older than the window.
 *  8  Invalid records get a verdict too. Conflicts come in read-set order, then write order, each key once, capped.
 *
 * Precedence, first that applies: `invalid` (validate.ts), `too_old`, then
 *
 *   submit, cancel: the id (`repeated`, `cancelled`, `id_reused`; a cancel ends here), `not_in_time`, `conflict`,
 *                   `too_large`, committed
 *   hold:           its id and index (`repeated`, `id_reused`), the id (`closed`), held
 *   expire:         the id (`repeated`), `no_hold`, `not_expired`, expired
 *
 * So a hold that is sent again is answered as before, though its id was decided since. What an expire names is above its
 * snapshot, and so within the window.
 */
import { assert, beforeGenesis } from "@seriatim/protocol";
import type {
  AppliedWrite,
  DecodedRecord,
  Digest,
  Expire,
  Genesis,
  Hold,
  InvalidReason,
  Offset,
  Outcome,
  RecordCodec,
  RefusalCode,
  Submit,
  Verdict,
  Write,
} from "@seriatim/protocol";
import { findConflicts } from "./conflicts.ts";
import type { Claim, Head, HeldEffect, State } from "./state.ts";
import { faultOf, legibleName } from "./validate.ts";

/** What a space decides by: its genesis, and the codec for the schemas that it admits. */
export interface Rules {
  readonly genesis: Genesis;
  readonly codec: Pick<RecordCodec, "decodeIntent" | "encodeVerdict">;
}

/** A record of the intents log as read back. */
export interface IntentsRecord {
  readonly offset: Offset;
  /** When the log appended it, in ms since 1970. */
  readonly appendTime: number;
  readonly bytes: Uint8Array;
  /** SHA-256 of `bytes`. */
  readonly digest: Digest;
}

export interface Decision {
  readonly verdict: Verdict;
  /** The verdict as encoded: what goes into the verdicts log. */
  readonly bytes: Uint8Array;
  /** The snapshot that the record claims, if it could be read: no part of the verdict, for whoever measures. */
  readonly snapshot: Offset | undefined;
}

/**
 * The verdict for the record that follows `head`; `state` is the fold up to `head`, and stays as it is (see evolve).
 * Whoever calls it has seen that the partition's first record is the genesis of `rules`, to the byte.
 * @throws Defect when the record does not follow `head`, or that first record is no genesis.
 */
export function decide(rules: Rules, partition: number, head: Head, state: State, record: IntentsRecord): Decision {
  assert(record.offset > head.position.offset, "a record follows the head");
  const decoded = rules.codec.decodeIntent(record.bytes);
  const { space, limits } = rules.genesis;
  const names = decoded.kind === "genesis" || decoded.kind === "invalid" ? undefined : decoded;
  const time = Math.max(head.time, record.appendTime);

  const settle = (outcome: Outcome): Decision => {
    const draft = {
      space,
      partition,
      offset: record.offset,
      predecessor: head.position,
      digest: record.digest,
      id: names === undefined ? null : legibleName(names.id, limits),
      agent: names === undefined ? null : legibleName(names.agent, limits),
      time,
      outcome,
    };
    const { bytes, chain } = rules.codec.encodeVerdict(draft);
    return { verdict: { ...draft, chain }, bytes, snapshot: names?.snapshot };
  };

  if (head.position.offset === beforeGenesis.offset) {
    assert(decoded.kind === "genesis", "the first record of a partition is its genesis");
    return settle({ kind: "genesis", genesis: record.bytes });
  }
  const decision = settle(judge(rules.genesis, partition, time, state, record, decoded));
  if (decision.bytes.length <= limits.verdictBytes) return decision;
  assert(decision.verdict.outcome.kind === "committed", "only what commits can be too large (checkGenesis)");
  return settle(refused("too_large"));
}

/** The outcome, but for its size once encoded. */
function judge(
  genesis: Genesis,
  partition: number,
  time: number,
  state: State,
  record: IntentsRecord,
  intent: DecodedRecord,
): Outcome {
  if (intent.kind === "genesis") return invalid("genesis_repeated");
  if (intent.kind === "invalid") return invalid(intent.reason);
  const fault = faultOf(intent, genesis, partition, record);
  if (fault !== undefined) return invalid(fault);

  // Before the id is looked at: from here on nothing rests on what is older than the window.
  const { window, conflicts: cap } = genesis.limits;
  if (record.offset - intent.snapshot > window) return refused("too_old");

  const oldest = record.offset - window;
  const known = state.claim(intent.id);
  const claim = known !== undefined && known.offset > oldest ? known : undefined;
  switch (intent.kind) {
    case "cancel":
      return claim === undefined ? { kind: "cancelled" } : repeated(claim);
    case "hold":
      return judgeHold(intent, time, standing(state, intent.id, oldest), record, claim);
    case "expire":
      return claim === undefined ? judgeExpire(intent, time, standing(state, intent.id, oldest)) : repeated(claim);
    case "submit":
      return claim === undefined ? judgeSubmit(intent, time, state, cap) : decidedBefore(record, claim);
  }
}

function judgeSubmit(intent: Submit, time: number, state: State, cap: number): Outcome {
  if (!isInTime(intent, time)) return refused("not_in_time");
  const conflicts = findConflicts(intent, state, cap);
  if (conflicts.length > 0) return { ...refused("conflict"), conflicts };
  const { writes, effects, holds, result } = intent;
  return { kind: "committed", writes: writes.map(applied), effects, holds, result };
}

function decidedBefore(record: IntentsRecord, claim: Claim): Outcome {
  if (claim.digest === record.digest) return repeated(claim);
  return { ...refused(claim.cancelled ? "cancelled" : "id_reused"), first: claim.offset };
}

function judgeHold(
  hold: Hold,
  time: number,
  holds: readonly HeldEffect[],
  record: IntentsRecord,
  claim: Claim | undefined,
): Outcome {
  const { index, name, arguments: args, undo, lease, timeout } = hold;
  const before = holds.find((held) => held.index === index);
  if (before?.digest === record.digest) return repeated(before);
  if (before !== undefined) return { ...refused("id_reused"), first: before.offset };
  if (claim !== undefined) return { ...refused("closed"), first: claim.offset };
  return { kind: "held", index, name, arguments: args, undo, deadline: time + lease, timeout };
}

function judgeExpire(expire: Expire, time: number, holds: readonly HeldEffect[]): Outcome {
  const held = holds.find(({ offset }) => offset === expire.hold);
  if (held === undefined) return refused("no_hold");
  return time < held.deadline ? refused("not_expired") : { kind: "expired" };
}

/** The holds of an id that the window reaches. */
function standing(state: State, id: string, oldest: Offset): readonly HeldEffect[] {
  return state.holds(id).filter(({ offset }) => offset > oldest);
}

function repeated({ offset }: { readonly offset: Offset }): Outcome {
  return { kind: "repeated", first: offset };
}

function isInTime({ validFrom, validUntil }: Submit, time: number): boolean {
  return (validFrom === null || time >= validFrom) && (validUntil === null || time < validUntil);
}

function applied({ key, value }: Write): AppliedWrite {
  return { key, value };
}

function invalid(reason: InvalidReason): Outcome {
  return { ...refused("invalid"), reason };
}

function refused(code: RefusalCode) {
  return { kind: "refused", code, reason: null, conflicts: [], first: null } as const;
}
