import {
  assert,
  claimsId,
  type Conflict,
  type Intent,
  type Offset,
  type Outcome,
  type Submit,
} from "@seriatim/protocol";
import type { IntentsRecord } from "@seriatim/sequencer";
import type { Stream } from "./stream.ts";

interface Claim {
  readonly offset: Offset;
  readonly digest: string;
  readonly isCancel: boolean;
}

/**
 * The rules once more, as far as the stream's records go, by the plainest means: maps that forget nothing. Knows only
 * what it is told of; with a window of outcomes it can say every one that follows.
 */
export class WindowedModel {
  readonly #stream: Stream;
  readonly #writers = new Map<string, Offset>();
  readonly #claims = new Map<string, Claim>();

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** Takes the outcome for granted. */
  learn({ offset, bytes, digest }: IntentsRecord, outcome: Outcome): void {
    const intent = this.#stream.intentOf(bytes);
    if (outcome.kind === "committed") for (const { key } of outcome.writes) this.#writers.set(key, offset);
    if (claimsId(outcome) && intent.kind !== "genesis")
      this.#claims.set(intent.id, { offset, digest, isCancel: intent.kind === "cancel" });
  }

  outcomeOf({ offset, bytes, digest }: IntentsRecord): Outcome {
    const intent = this.#stream.intentOf(bytes);
    assert(intent.kind !== "hold" && intent.kind !== "expire", "the stream has no holds");
    const { window } = this.#stream.genesis.limits;
    if (intent.kind === "genesis") return refused("invalid");
    if (offset - intent.snapshot > window) return refused("too_old");
    const claim = this.#claims.get(intent.id);
    if (claim !== undefined && offset - claim.offset < window) return decidedBefore(intent, digest, claim);
    if (intent.kind === "cancel") return { kind: "cancelled" };
    const conflicts = this.#conflictsOf(intent);
    if (conflicts.length > 0) return { ...refused("conflict"), conflicts };
    const { writes, effects, holds, result } = intent;
    return { kind: "committed", writes: writes.map(({ key, value }) => ({ key, value })), effects, holds, result };
  }

  #conflictsOf({ isolation, snapshot, points, ranges, writes }: Submit): Conflict[] {
    const found: Conflict[] = [];
    const look = (kind: Conflict["kind"], key: Conflict["key"]): void => {
      const version = this.#writers.get(key) ?? -1;
      if (version > snapshot && !found.some((conflict) => conflict.key === key)) found.push({ kind, key, version });
    };
    if (isolation === "serializable") {
      for (const { key } of points) look("point", key);
      for (const { from, to } of ranges) {
        const keys = [...this.#writers.keys()].filter((key) => key >= from && key < to);
        for (const key of keys.toSorted((a, b) => (a < b ? -1 : 1))) look("range", key as Conflict["key"]);
      }
    }
    for (const { key, blind } of writes) if (!blind) look("write", key);
    return found.slice(0, this.#stream.genesis.limits.conflicts);
  }
}

function decidedBefore(intent: Intent, digest: string, { offset: first, digest: before, isCancel }: Claim): Outcome {
  if (intent.kind === "cancel" || before === digest) return { kind: "repeated", first };
  return { ...refused(isCancel ? "cancelled" : "id_reused"), first };
}

function refused(code: Extract<Outcome, { readonly kind: "refused" }>["code"]) {
  return { kind: "refused", code, reason: null, conflicts: [], first: null } as const;
}
