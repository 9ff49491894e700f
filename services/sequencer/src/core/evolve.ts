import { assert, claimsId } from "@seriatim/protocol";
import type { Verdict } from "@seriatim/protocol";
import type { MemoryState } from "./memory-state.ts";

/**
 * Applies the next verdict to `state`, in place: its writes, its claim or hold, and what the window no longer reaches. The work
 * is logarithmic a write, amortised.
 * @throws Defect when the verdict does not follow the state's head (invariant 3); the state is then as it was.
 */
export function evolve(state: MemoryState, verdict: Verdict): void {
  const { offset, chain, time, predecessor, digest, id, outcome } = verdict;
  const { position } = state.head;
  assert(
    predecessor.offset === position.offset && predecessor.chain === position.chain,
    "a verdict follows the head that it names",
  );
  assert(offset > position.offset && time >= state.head.time, "offsets rise, and log time does not step back");
  if (outcome.kind === "committed") for (const { key } of outcome.writes) state.noteWrite(key, offset);
  if (claimsId(outcome)) {
    assert(id !== null, "an outcome that claims an id names it");
    state.noteClaim(id, { offset, digest, cancelled: outcome.kind === "cancelled" || outcome.kind === "expired" });
  }
  if (outcome.kind === "held") {
    assert(id !== null, "a hold names its id");
    state.noteHold(id, { offset, index: outcome.index, digest, deadline: outcome.deadline });
  }
  state.moveTo({ position: { offset, chain }, time });
}
