import type { Advance, View, WrittenKey } from "@seriatim/view";

const known = new WeakMap<Advance, readonly WrittenKey[]>();

/** What an advance of the view has written. Read once for all who look at the same advance: there may be a thousand. */
export function writtenIn(view: View, advance: Advance): readonly WrittenKey[] {
  const before = known.get(advance);
  if (before !== undefined) return before;
  const written = view.changes(advance.partition, advance.from, advance.to);
  known.set(advance, written);
  return written;
}
