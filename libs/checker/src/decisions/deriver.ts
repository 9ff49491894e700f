/*
 * The rules once more, written for the checker alone: what the verdict on a record must be, from all that stands before
 * it. Of several refusals the first in this order is given: `invalid`, `too_old`, what the id says, `not_in_time`,
 * `conflict`, `too_large`. A hold asks its id and index first, and then whether the id is decided; an expire whether the
 * id is decided, and then for the hold and its deadline.
 */
import type {
  Cancel,
  Conflict,
  Expire,
  Hold,
  InvalidReason,
  Offset,
  Outcome,
  Position,
  RecordCodec,
  RefusalCode,
  Submit,
} from "@seriatim/protocol";
import { ClaimedIds } from "../audit/claims.ts";
import { StandingHolds } from "../audit/standing-holds.ts";
import type { IntentItem } from "../space/items.ts";
import { invalidReason } from "./invalid.ts";
import { Past } from "./past.ts";

/** Derives the verdicts of one partition, in order. */
export class Deriver {
  readonly #codec: RecordCodec;
  readonly #start: Offset;
  readonly #past: Past;
  readonly #claims: ClaimedIds;
  readonly #holds: StandingHolds;
  #time = 0;
  #predecessor: Offset = -1;

  /** @param start where the log is read from: 0 for all of it. */
  constructor(codec: RecordCodec, start: Offset) {
    const { window } = codec.genesis.limits;
    this.#codec = codec;
    this.#start = start;
    this.#past = new Past(window);
    this.#claims = new ClaimedIds(window);
    this.#holds = new StandingHolds(window);
  }

  /**
   * The outcome by the rules; undefined when it rests on what stands below the start.
   * @param time log time at the record
   */
  outcomeOf(item: IntentItem, time: number): Outcome | undefined {
    const { record, offset } = item;
    const isFirst = this.#predecessor < 0;
    if (isFirst && this.#start === 0 && record.kind !== "genesis") return undefined;
    if (isFirst && record.kind === "genesis")
      return this.#start === 0 ? { kind: "genesis", genesis: item.bytes } : undefined;
    if (record.kind === "genesis") return refusal("invalid", { reason: "genesis_repeated" });
    if (record.kind === "invalid") return refusal("invalid", { reason: record.reason });
    const reason = invalidReason(item, record, this.#codec.genesis);
    if (reason !== null) return refusal("invalid", { reason });
    if (offset - record.snapshot > this.#codec.genesis.limits.window) return refusal("too_old");
    switch (record.kind) {
      case "hold":
        return this.#holdOutcome(record, item, time);
      case "expire":
        return this.#expireOutcome(record, item, time);
      case "submit":
      case "cancel":
        return this.#idOutcome(record, item) ?? this.#freshOutcome(record, item, time);
    }
  }

  /** Takes over what was decided, which need not be what the rules give. */
  follow(item: IntentItem, { id, outcome }: { readonly id: string | null; readonly outcome: Outcome }): void {
    const { offset, digest, time } = item;
    this.#past.note(offset, outcome);
    this.#claims.note({ id, offset, digest, outcome });
    this.#holds.note({ id, offset, digest, outcome });
    this.#time = this.timeOf(time);
    this.#predecessor = offset;
  }

  /** Log time at a record appended then. */
  timeOf(appendTime: number): number {
    return Math.max(this.#time, appendTime);
  }

  #holdOutcome(hold: Hold, { offset, digest }: IntentItem, time: number): Outcome {
    const { id, index, name, arguments: args, undo, lease, timeout } = hold;
    const same = this.#holds.of(id, offset).find((before) => before.index === index);
    if (same !== undefined && same.digest === digest) return { kind: "repeated", first: same.offset };
    if (same !== undefined) return refusal("id_reused", { first: same.offset });
    const claim = this.#claims.get(id, offset);
    if (claim !== undefined) return refusal("closed", { first: claim.offset });
    return { kind: "held", index, name, arguments: args, undo, deadline: time + lease, timeout };
  }

  #expireOutcome({ id, hold }: Expire, { offset }: IntentItem, time: number): Outcome | undefined {
    const claim = this.#claims.get(id, offset);
    if (claim !== undefined) return { kind: "repeated", first: claim.offset };
    if (hold < this.#start) return undefined;
    const held = this.#holds.of(id, offset).find((before) => before.offset === hold);
    if (held === undefined) return refusal("no_hold");
    return time < held.deadline ? refusal("not_expired") : { kind: "expired" };
  }

  #idOutcome(intent: Submit | Cancel, { offset, digest }: IntentItem): Outcome | undefined {
    const claim = this.#claims.get(intent.id, offset);
    if (claim === undefined) return intent.kind === "cancel" ? { kind: "cancelled" } : undefined;
    if (intent.kind === "cancel" || claim.digest === digest) return { kind: "repeated", first: claim.offset };
    return refusal(claim.isCancel ? "cancelled" : "id_reused", { first: claim.offset });
  }

  #freshOutcome(intent: Submit | Cancel, item: IntentItem, time: number): Outcome | undefined {
    if (intent.kind === "cancel") return undefined;
    const { validFrom, validUntil, snapshot, isolation, writes, effects, holds, result } = intent;
    if ((validFrom !== null && time < validFrom) || (validUntil !== null && time >= validUntil))
      return refusal("not_in_time");
    if (isolation !== "none" && snapshot < this.#start - 1) return undefined;
    const conflicts = this.#conflicts(intent).slice(0, this.#codec.genesis.limits.conflicts);
    if (conflicts.length > 0) return refusal("conflict", { conflicts });
    const applied = writes.map(({ key, value }) => ({ key, value }));
    const committed: Outcome = { kind: "committed", writes: applied, effects, holds, result };
    return this.#isTooLarge(intent, item, time, committed) ? refusal("too_large") : committed;
  }

  #conflicts({ isolation, snapshot, points, ranges, writes }: Submit): Conflict[] {
    const found: Conflict[] = [];
    const look = (kind: Conflict["kind"], key: Conflict["key"]): void => {
      const version = this.#past.lastWrite(key);
      if (version > snapshot && found.every((one) => one.key !== key)) found.push({ kind, key, version });
    };
    if (isolation === "none") return found;
    if (isolation === "serializable") {
      for (const { key } of points) look("point", key);
      for (const range of ranges) for (const key of this.#past.writtenIn(range, snapshot)) look("range", key);
    }
    for (const { key, blind } of writes) if (!blind) look("write", key);
    return found;
  }

  #isTooLarge(intent: Submit, { partition, offset, digest }: IntentItem, time: number, outcome: Outcome): boolean {
    const { id, agent } = intent;
    const { limits, space } = this.#codec.genesis;
    // The first of a slice follows the record before it, which was not read.
    const predecessor = { offset: Math.max(this.#predecessor, this.#start - 1), chain: digest } satisfies Position;
    const draft = { space, partition, offset, predecessor, digest, id, agent, time, outcome };
    return this.#codec.encodeVerdict(draft).bytes.length > limits.verdictBytes;
  }
}

function refusal(
  code: RefusalCode,
  more: { readonly reason?: InvalidReason; readonly conflicts?: readonly Conflict[]; readonly first?: Offset } = {},
): Outcome {
  return { kind: "refused", code, reason: null, conflicts: [], first: null, ...more };
}
