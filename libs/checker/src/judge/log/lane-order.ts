import type { LoggedEffect } from "../../history.ts";

/** Whether the effects of each lane left in the order in which they were committed. */
export class LaneOrder {
  readonly #latest = new Map<string, number>();
  breaks = 0;

  add(effects: readonly LoggedEffect[]): void {
    for (const { lane, left } of effects) {
      if (left === null) continue;
      const latest = this.#latest.get(lane) ?? -1;
      if (left < latest) this.breaks += 1;
      else this.#latest.set(lane, left);
    }
  }
}
