import { Failure, toBytes } from "@seriatim/protocol";
import type { Decision, View } from "@seriatim/view";

/**
 * The ids of a run's attempts.
 *
 * Under a business id they are `run/<id>/1`, `run/<id>/2`, and so on. **At most one of them can commit**: an id decides
 * once (invariant 6); and `run/<id>/<n+1>` is sent only by someone who has seen in the view that `run/<id>/<n>` is refused
 * or cancelled, so for good not committed. By induction, whoever sends n + 1 knows this of all before it; and once n has
 * committed nobody will ever see it refused, so that n + 1 is never sent. It takes that all attempts are decided in one
 * partition, for only there does an id decide once.
 *
 * `too_old` and `invalid` claim no id: after them the same number is sent again, with other bytes, and the first of its
 * records to be decided otherwise is the one that counts. And since the view remembers for good what the window of a
 * sequencer forgets, looking ids up at or after the snapshot makes up for it (invariant 7).
 */
export function attemptId(id: string, n: number): string {
  return `run/${id}/${n}`;
}

/** The attempt that comes next: its id, or, when there is nothing left to do, the decision that committed. */
export type NextAttempt = { readonly intent: string } | { readonly committed: Decision };

export interface AttemptIds {
  next(view: View, partition: number): NextAttempt;
  /** Whether the attempt's id is undecided still, as far as the view has come: then a newer snapshot does for it too. */
  isOpen(intent: string, view: View, partition: number): boolean;
}

/** Every attempt an id of its own, which nobody can have used. */
export function freshIds(newId: () => string): AttemptIds {
  return { next: () => ({ intent: newId() }), isOpen: () => true };
}

/** So that no run fails for a number that got too long. */
const mostAttempts = 999_999;

/** @throws Failure `invalid_argument` when the ids that derive from `id` would be too long. */
export function businessIds(id: string, nameBytes: number): AttemptIds {
  const most = nameBytes - toBytes(attemptId("", mostAttempts)).length;
  const { length } = toBytes(id);
  if (length > most)
    throw new Failure(
      "invalid_argument",
      `id is ${length} bytes long in UTF-8; at most ${most} are allowed in this space, so that the ids of the attempts, ` +
        "which derive from it, have room (nameBytes)",
    );
  let n = 1;
  return {
    next(view, partition) {
      for (; ; n += 1) {
        const intent = attemptId(id, n);
        const decision = view.decisionOf(intent, partition);
        if (decision?.outcome.kind === "committed") return { committed: decision };
        if (decision === undefined) return { intent };
      }
    },
    isOpen: (intent, view, partition) => view.decisionOf(intent, partition) === undefined,
  };
}
