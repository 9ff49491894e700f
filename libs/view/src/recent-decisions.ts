import type { Offset, Outcome, Verdict } from "@seriatim/protocol";
import type { DecidedOutcome, Decision } from "./types.ts";

/** So many decisions of a partition are kept. */
export const mostRecent = 64;

/**
 * The last decisions of one partition that were read. All that wait in a process ask for the same ones when they come,
 * and what was decided never changes. Only for what is committed: a transaction can be rolled back.
 */
export class RecentDecisions {
  /** All decisions above it are kept, up to the last. */
  #after: Offset;
  #decisions: Decision[] = [];

  constructor(after: Offset) {
    this.#after = after;
  }

  /** Whether all decisions above an offset can be had from here, once what is missing is added. */
  reaches(after: Offset): boolean {
    return after >= this.#after && after <= this.last + mostRecent;
  }

  /** Up to here nothing is missing. */
  get last(): Offset {
    return this.#decisions.at(-1)?.offset ?? this.#after;
  }

  /** Adds what comes after the last. */
  add(decisions: readonly Decision[]): void {
    for (const decision of decisions) this.#decisions.push(decision);
    const surplus = this.#decisions.length - mostRecent;
    if (surplus > 0) this.#after = this.#decisions.splice(0, surplus).at(-1)?.offset ?? this.#after;
  }

  /** In `(after, upTo]`. */
  between(after: Offset, upTo: Offset): Decision[] {
    return this.#decisions.slice(this.#above(after), this.#above(upTo));
  }

  /** The index of the first decision above an offset. They are asked for from the end. */
  #above(offset: Offset): number {
    return this.#decisions.findLastIndex((decision) => decision.offset <= offset) + 1;
  }
}

/** As it is read from the tables. */
export function decisionOf({ partition, offset, id, agent, time, digest, outcome }: Verdict): Decision {
  return { partition, offset, id, agent, time, digest, outcome: decidedOutcome(outcome) };
}

function decidedOutcome(outcome: Outcome): DecidedOutcome {
  switch (outcome.kind) {
    case "genesis":
      return { kind: "genesis" };
    case "committed":
      return { kind: "committed", result: outcome.result };
    case "held": {
      const { arguments: _, ...held } = outcome;
      return held;
    }
    case "refused":
    case "cancelled":
    case "expired":
    case "repeated":
      return outcome;
  }
}
