import { isolations, type Isolation } from "@seriatim/protocol";
import type { LoggedTransaction } from "../../history.ts";
import type { Claim } from "../../judgement.ts";

const shown = 3;

/** How many claimed each level, and which of them did not get it. */
export class ClaimTally {
  readonly #claimed = new Map<Isolation, number>();
  /** By place in the log, so that one that broke its level twice counts once. */
  readonly #broken = new Map<string, LoggedTransaction | Isolation>();

  count(isolation: Isolation): void {
    this.#claimed.set(isolation, (this.#claimed.get(isolation) ?? 0) + 1);
  }

  break(transaction: LoggedTransaction): void {
    const place = `${transaction.partition}@${transaction.offset}`;
    if (!this.#broken.has(place))
      this.#broken.set(place, this.#broken.size < 100 ? transaction : transaction.isolation);
  }

  include(other: ClaimTally): void {
    for (const [isolation, count] of other.#claimed)
      this.#claimed.set(isolation, (this.#claimed.get(isolation) ?? 0) + count);
    for (const [place, broken] of other.#broken) this.#broken.set(place, broken);
  }

  get claims(): Claim[] {
    return isolations
      .map((isolation) => {
        const broken = Array.from(this.#broken.values()).filter((each) => isolationOf(each) === isolation);
        const examples = broken.filter((each) => typeof each !== "string").slice(0, shown);
        return { isolation, claimed: this.#claimed.get(isolation) ?? 0, broken: broken.length, examples };
      })
      .filter(({ claimed }) => claimed > 0);
  }
}

function isolationOf(broken: LoggedTransaction | Isolation): Isolation {
  return typeof broken === "string" ? broken : broken.isolation;
}
