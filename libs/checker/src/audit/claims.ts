import { claimsId, type Digest, type Offset, type Verdict } from "@seriatim/protocol";

/** The record that decided an id. */
export interface Claim {
  readonly offset: Offset;
  readonly digest: Digest;
  /** Or an expire. */
  readonly isCancel: boolean;
}

/** Who claimed which id within the window. */
export class ClaimedIds {
  readonly #claims = new Map<string, Claim>();
  readonly #window: number;

  constructor(window: number) {
    this.#window = window;
  }

  /** What claimed `id` so recently that a record at `offset` is bound by it. */
  get(id: string, offset: Offset): Claim | undefined {
    const claim = this.#claims.get(id);
    return claim !== undefined && claim.offset > offset - this.#window ? claim : undefined;
  }

  /** @param verdict younger than those before it. */
  note({ id, offset, digest, outcome }: Pick<Verdict, "id" | "offset" | "digest" | "outcome">): void {
    if (id === null || !claimsId(outcome)) return;
    // Deleted first, so that the map's order is the order of the claims.
    this.#claims.delete(id);
    this.#claims.set(id, { offset, digest, isCancel: outcome.kind === "cancelled" || outcome.kind === "expired" });
    for (const [oldest, claim] of this.#claims) {
      if (claim.offset > offset - this.#window) return;
      this.#claims.delete(oldest);
    }
  }
}
