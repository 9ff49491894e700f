import type { Key, KeyRange, Offset, Write } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { breathe } from "./waiting.ts";

/** So many keys at once: some milliseconds. */
const keysAtOnce = 10_000;

/**
 * How many entries `range` has at the snapshot `at` with `own`, the writes inside of it, laid over them. Reads no
 * values. Between two parts of a large range the event loop goes round, and then `checkOpen` is called.
 */
export async function mergedCount(
  view: View,
  range: KeyRange,
  at: Offset,
  own: readonly Write[],
  checkOpen: () => void,
): Promise<number> {
  let sum = 0;
  for (const { key, value } of own) sum += (value === null ? 0 : 1) - (view.version(key, at) === null ? 0 : 1);
  for (let after: Key | undefined; ;) {
    const { entries, last } = view.count(range, at, { limit: keysAtOnce, ...(after === undefined ? {} : { after }) });
    sum += entries;
    if (last === undefined) return sum;
    after = last;
    await breathe();
    checkOpen();
  }
}
