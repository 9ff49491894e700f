import type { Conflict, ConflictKind, Isolation, Key, Write } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { describe, type Grounds } from "./refusal.ts";
import type { Change } from "./result.ts";

/** What a transaction that is still open rests on. */
export interface Rested {
  readonly view: View;
  readonly partition: number;
  readonly grounds: Grounds;
  readonly writes: readonly Write[];
  readonly isolation: Isolation;
  /** So many are named. */
  readonly most: number;
}

/** What others have written of it since, as the view has it now; a key once, as the first thing that it is. */
export function changesSince(rested: Rested): Change[] {
  const { view, partition, grounds, isolation, writes, most } = rested;
  const conflicts = new Map<Key, Conflict>();
  for (const conflict of overwritten(rested)) {
    if (conflicts.size >= most) break;
    if (!conflicts.has(conflict.key)) conflicts.set(conflict.key, conflict);
  }
  const checked = new Set(writes.filter(({ blind }) => !blind).map(({ key }) => key));
  return Array.from(conflicts.values(), (conflict) => {
    const { detail, text: message } = describe(view, partition, conflict, grounds);
    const refuses = isolation === "serializable" || (isolation === "snapshot" && checked.has(conflict.key));
    return { ...detail, message, refuses };
  });
}

function* overwritten({ view, grounds, writes, most }: Rested): Iterable<Conflict> {
  const { points, ranges, snapshot } = grounds;
  const since = (kind: ConflictKind, key: Key): Conflict[] => {
    const version = view.lastWrite(key);
    return version > snapshot ? [{ kind, key, version }] : [];
  };
  for (const { key } of points) yield* since("point", key);
  for (const range of ranges)
    for (const { key, version } of view.newestIn(range, snapshot, most)) yield { kind: "range", key, version };
  for (const { key, blind } of writes) if (!blind) yield* since("write", key);
}
