import { assert } from "@seriatim/protocol";
import type { Conflict, ConflictKind, Submit } from "@seriatim/protocol";
import type { State } from "./state.ts";

/**
 * What the intent rests on and was written or deleted after its snapshot (invariants 5 and 8): points in read-set
 * order, then ranges in read-set order with their keys in byte order, then writes in write order. A key is named once,
 * as the first of these that it is found as, with the version that wrote it last; at most `cap` keys are named.
 */
export function findConflicts(intent: Submit, state: State, cap: number): readonly Conflict[] {
  assert(cap > 0, "a refusal names a conflict, or it would be none");
  if (intent.isolation === "none") return [];
  const { snapshot } = intent;
  const found: Conflict[] = [];

  const name = (kind: ConflictKind, { key, version }: Omit<Conflict, "kind">): void => {
    if (version > snapshot && found.length < cap && !found.some((conflict) => conflict.key === key))
      found.push({ kind, key, version });
  };

  if (intent.isolation === "serializable") {
    for (const { key } of intent.points) name("point", { key, version: state.lastWrite(key) });
    for (const range of intent.ranges) {
      if (found.length >= cap) break;
      // The whole cap, though some are taken: of the keys found, up to that many may have been named before.
      for (const written of state.newestIn(range, snapshot, cap)) name("range", written);
    }
  }
  for (const { key, blind } of intent.writes) if (!blind) name("write", { key, version: state.lastWrite(key) });
  return found;
}
