import type { Digest, Offset, Verdict } from "@seriatim/protocol";

/** A hold that stands, whatever has become of its id since. */
export interface StandingHold {
  readonly id: string;
  readonly index: number;
  readonly offset: Offset;
  readonly digest: Digest;
  /** Log time from which on it may be expired. */
  readonly deadline: number;
}

/** What was held within the window, in the order of the log: few. */
export class StandingHolds {
  readonly #window: number;
  #holds: StandingHold[] = [];

  constructor(window: number) {
    this.#window = window;
  }

  /** The holds of `id` that are so recent that a record at `offset` is bound by them. */
  of(id: string, offset: Offset): StandingHold[] {
    return this.#holds.filter((hold) => hold.id === id && hold.offset > offset - this.#window);
  }

  /** @param verdict younger than those before it. */
  note({ id, offset, digest, outcome }: Pick<Verdict, "id" | "offset" | "digest" | "outcome">): void {
    if (id === null || outcome.kind !== "held") return;
    const { index, deadline } = outcome;
    const left = this.#holds.filter((hold) => hold.offset > offset - this.#window);
    this.#holds = [...left, { id, index, offset, digest, deadline }];
  }
}
