import type { View } from "@seriatim/view";
import type { State } from "./core/index.ts";

/** The state that a decision reads, from SQL on the view: nothing to load, so a short command starts at once. */
export function viewState(view: View, partition: number): State {
  return {
    lastWrite: (key) => view.lastWrite(key),
    newestIn: (range, after, limit) => view.newestIn(range, after, limit),
    claim: (id) => view.claim(partition, id),
    holds: (id) => view.holds(partition, id),
  };
}
