import { fromBytes, highestBound, partitionKeyOf, partitionOf, type Key, type Offset } from "@seriatim/protocol";
import type { Entry, View, WrittenKey } from "@seriatim/view";

/** How many offsets, or live keys, are read at once, so that memory stays bounded. */
const page = 1_000;

const everyKey = { from: "" as Key, to: highestBound };

export interface Compared {
  readonly partition: number;
  readonly partitions: number;
  /** Up to and including this offset. */
  readonly upTo: Offset;
}

/**
 * The first place where a view differs from the one folded anew, in a sentence; undefined when they hold the same:
 * every write and delete up to the offset, and every value that stood at it.
 */
export function difference(view: View, refolded: View, compared: Compared): string | undefined {
  return (
    firstDifference(writes(view, compared), writes(refolded, compared), isSameWrite) ??
    firstDifference(entries(view, compared), entries(refolded, compared), isSameEntry)
  );
}

function* writes(view: View, { partition, upTo }: Compared): Generator<WrittenKey, undefined> {
  for (let after = -1; after < upTo; after += page) yield* view.changes(partition, after, Math.min(upTo, after + page));
}

function* entries(view: View, { partition, partitions, upTo }: Compared): Generator<Entry, undefined> {
  for (let after: Key | undefined; ;) {
    const found = view.scan(everyKey, upTo, { limit: page, ...(after === undefined ? {} : { after }) });
    yield* found.filter(({ key }) => partitionOf(partitionKeyOf(key), partitions) === partition);
    after = found.at(-1)?.key;
    if (after === undefined) return;
  }
}

function firstDifference<T extends WrittenKey>(
  found: Iterator<T, undefined>,
  expected: Iterator<T, undefined>,
  isSame: (one: T, other: T) => boolean,
): string | undefined {
  for (;;) {
    const [one, other] = [found.next().value, expected.next().value];
    if (one === undefined && other === undefined) return undefined;
    if (one === undefined || other === undefined || !isSame(one, other))
      return `the view has ${text(one)} where the log leads to ${text(other)}`;
  }
}

function isSameWrite(one: WrittenKey, other: WrittenKey): boolean {
  return one.key === other.key && one.version === other.version;
}

function isSameEntry(one: Entry, other: Entry): boolean {
  return isSameWrite(one, other) && Buffer.compare(one.value, other.value) === 0;
}

function text(write: WrittenKey | undefined): string {
  if (write === undefined) return "nothing";
  const value =
    "value" in write
      ? ` holding ${Buffer.from((write as Entry).value)
          .toString()
          .slice(0, 100)}`
      : "";
  return `${JSON.stringify(fromBytes(write.key))} of version ${write.version}${value}`;
}
