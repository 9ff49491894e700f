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

/** What was held within the window. */
export class StandingHolds {
  readonly #window: number;
  readonly #byId = new Map<string, StandingHold[]>();
  /** The ids of the holds by offset, in the order of the log. */
  readonly #ids = new Map<Offset, string>();

  constructor(window: number) {
    this.#window = window;
  }

  /** The holds of `id` that are so recent that a record at `offset` is bound by them. */
  of(id: string, offset: Offset): StandingHold[] {
    return this.#byId.get(id)?.filter((hold) => hold.offset > offset - this.#window) ?? [];
  }

  /** @param verdict younger than those before it. */
  note({ id, offset, digest, outcome }: Pick<Verdict, "id" | "offset" | "digest" | "outcome">): void {
    if (id === null || outcome.kind !== "held") return;
    const { index, deadline } = outcome;
    this.#byId.set(id, [...this.of(id, offset), { id, index, offset, digest, deadline }]);
    this.#ids.set(offset, id);
    this.#forget(offset);
  }

  #forget(offset: Offset): void {
    for (const [oldest, id] of this.#ids) {
      if (oldest > offset - this.#window) return;
      this.#ids.delete(oldest);
      if (this.of(id, offset).length === 0) this.#byId.delete(id);
    }
  }
}
