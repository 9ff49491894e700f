import type { Key, Offset } from "@seriatim/protocol";
import type { LoggedTransaction } from "../../history.ts";

/**
 * Versions from before the history's start that reads name, where those of one key differ: then the later one's writer
 * stands in the way of whoever read the earlier one, although the history does not hold it.
 */
export function outsideVersions(transactions: readonly LoggedTransaction[], start: Offset): Map<Key, Offset[]> {
  const named = new Map<Key, Offset[]>();
  for (const { points } of transactions)
    for (const { key, version } of points) {
      if (version === null || version >= start) continue;
      const versions = named.get(key);
      if (versions === undefined) named.set(key, [version]);
      else if (!versions.includes(version)) versions.push(version);
    }
  for (const [key, versions] of named)
    if (versions.length < 2) named.delete(key);
    else versions.sort((a, b) => a - b);
  return named;
}
