import { assert } from "@seriatim/protocol";
import type { Digest, Offset } from "@seriatim/protocol";
import { Ages } from "./ages.ts";
import type { Claim } from "./state.ts";

/** The ids claimed within the window, each with its latest claim (invariants 6 and 7). At most 2^24 ids fit. */
export class Claims {
  readonly #ages = new Ages<string, Digest>();
  /** The row of an id's latest claim. */
  readonly #rows = new Map<string, number>();
  /** Offsets of the claims that cancels made: few. */
  readonly #cancels = new Set<Offset>();

  get(id: string): Claim | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const offset = this.#ages.offsetOf(row);
    return { offset, digest: this.#ages.noteOf(row), cancelled: this.#cancels.has(offset) };
  }

  /** @param claim not older than any set before. */
  set(id: string, { offset, digest, cancelled }: Claim): void {
    this.#rows.set(id, this.#ages.push(id, offset, digest));
    if (cancelled) this.#cancels.add(offset);
  }

  /** Forgets the claims at `horizon` and below. An id claimed anew since keeps its later claim. */
  purge(horizon: Offset): void {
    this.#ages.purge(horizon, (id, offset, row) => {
      if (this.#rows.get(id) === row) this.#rows.delete(id);
      this.#cancels.delete(offset);
    });
  }

  get size(): number {
    return this.#rows.size;
  }

  /** @throws Defect when more is kept than the window's claims. */
  audit(): void {
    assert(this.#rows.size <= this.#ages.size, "an id is forgotten with its latest claim");
    assert(this.#cancels.size <= this.#ages.size, "a cancel is forgotten with its claim");
  }
}
