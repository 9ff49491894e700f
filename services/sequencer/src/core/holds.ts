import { assert } from "@seriatim/protocol";
import type { Offset } from "@seriatim/protocol";
import { Ages } from "./ages.ts";
import type { HeldEffect } from "./state.ts";

const none: readonly HeldEffect[] = [];

/** The holds of the window by id, whatever has become of their ids (invariant 7). */
export class Holds {
  readonly #ages = new Ages<string>();
  readonly #byId = new Map<string, HeldEffect[]>();

  /** In order of offset. */
  of(id: string): readonly HeldEffect[] {
    return this.#byId.get(id) ?? none;
  }

  /** @param hold not older than any added before. */
  add(id: string, hold: HeldEffect): void {
    this.#ages.push(id, hold.offset);
    const holds = this.#byId.get(id);
    if (holds === undefined) this.#byId.set(id, [hold]);
    else holds.push(hold);
  }

  /** Forgets the holds at `horizon` and below. */
  purge(horizon: Offset): void {
    this.#ages.purge(horizon, (id, offset) => {
      const holds = this.#byId.get(id);
      assert(holds?.[0]?.offset === offset, "the holds of an id are forgotten in the order in which they came");
      if (holds.length === 1) this.#byId.delete(id);
      else holds.shift();
    });
  }

  get size(): number {
    return this.#ages.size;
  }

  /** @throws Defect when more is kept than the window's holds. */
  audit(): void {
    let kept = 0;
    for (const holds of this.#byId.values()) kept += holds.length;
    assert(kept === this.#ages.size, "a hold is kept for as long as its age is");
  }
}
