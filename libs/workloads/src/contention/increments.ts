import type { LoggedHistory } from "@seriatim/checker";
import { toKey, type Key, type Offset } from "@seriatim/protocol";
import { counterKey } from "./counters.ts";

/** One write of a counter: which write of it the writer had read. */
interface Link {
  readonly offset: Offset;
  readonly read: Offset | null;
}

/**
 * How many increments the counters must lack, by what the log says was read: an increment counts for as long as it is one
 * of those on which the last one rests. Of the values nothing is asked.
 */
export async function lostByLog(history: LoggedHistory, counters: number): Promise<number> {
  const links = new Map<Key, Link[]>();
  for (let counter = 0; counter < counters; counter += 1) links.set(toKey(counterKey(counter)), []);
  for await (const batch of history.read())
    for (const { status, offset, writes, points } of batch)
      for (const { key } of status === "committed" ? writes : [])
        links.get(key)?.push({ offset, read: points.find((point) => point.key === key)?.version ?? null });
  let lost = 0;
  for (const chain of links.values()) lost += chain.length - lengthOf(chain);
  return lost;
}

/** Back from the last write, from each to what it had read. */
function lengthOf(links: readonly Link[]): number {
  const byOffset = new Map(links.map((link) => [link.offset, link]));
  let length = 0;
  for (let link = links.at(-1); link !== undefined; length += 1)
    link = link.read === null ? undefined : byOffset.get(link.read);
  return length;
}
