import { inRange, type Key, type KeyRange } from "@seriatim/protocol";
import type { LoggedTransaction } from "@seriatim/checker";
import { Random } from "./random.ts";

const keys = ["p/a", "p/b", "p/c", "p/d"] as Key[];
const lowest = "p/" as Key;
const bounds = [lowest, ...(["p/b", "p/c", "p/d", "p0"] as Key[])];

/** A transaction, and by key the version that it truly saw: an offset, of a deletion too; 0 when nothing was before. */
export interface Told {
  readonly transaction: LoggedTransaction;
  readonly saw: ReadonlyMap<Key, number>;
}

/** Two to seven transactions with reads of every age, among them such as no store would let through. */
export function randomLog(seed: number): Told[] {
  const random = new Random(seed);
  const told: Told[] = [];
  const count = 2 + random.below(6);
  const staleness = random.next() * 0.6;
  let offset = 0;
  while (told.length < count) {
    offset += 1 + (random.chance(0.2) ? 1 : 0);
    told.push(randomTransaction(random, told, offset, staleness));
  }
  return told;
}

function randomTransaction(random: Random, before: readonly Told[], offset: number, staleness: number): Told {
  const snapshot = random.chance(staleness) ? random.below(offset) : offset - 1;
  const isolation = random.chance(0.7) ? "serializable" : random.chance(0.5) ? "snapshot" : "none";
  const saw = new Map<Key, number>();
  const ranges = isolation !== "none" && random.chance(0.35) ? [randomRange(random)] : [];
  for (const range of ranges)
    for (const key of keys) if (inRange(key, range)) saw.set(key, versionAt(before, key, snapshot));
  const points = random.some(keys, 2).flatMap((key) => {
    const version = pointVersion(random, before, key, snapshot);
    const isAbsent = !isPresent(before, key, version);
    // At level none a log does not tell which of several absences was seen.
    if (isolation === "none" && isAbsent && version > 0) return [];
    saw.set(key, version);
    return [{ key, version: isAbsent ? null : version }];
  });
  const writes = random.chance(0.2)
    ? []
    : random.some(keys, 2).map((key) => ({ key, deleted: random.chance(0.3), blind: random.chance(0.3) }));
  const transaction: LoggedTransaction = {
    kind: "logged",
    partition: 0,
    offset,
    snapshot,
    agent: `agent-${random.below(3)}`,
    id: `t${offset}`,
    time: offset,
    isolation,
    status: random.chance(0.9) ? "committed" : "aborted",
    points,
    ranges,
    writes,
    effects: [],
  };
  return { transaction, saw };
}

function randomRange(random: Random): KeyRange {
  const from = random.below(bounds.length - 1);
  const to = from + 1 + random.below(bounds.length - from - 1);
  return { from: bounds[from] ?? lowest, to: bounds[to] ?? lowest };
}

/** Now and then an older version than the snapshot's, as under no isolation; an absent key only as of the snapshot. */
function pointVersion(random: Random, before: readonly Told[], key: Key, snapshot: number): number {
  if (random.chance(0.15)) {
    const older = versionAt(before, key, random.below(snapshot + 1));
    if (isPresent(before, key, older)) return older;
  }
  return versionAt(before, key, snapshot);
}

function versionAt(before: readonly Told[], key: Key, offset: number): number {
  const writer = before.findLast(
    ({ transaction }) =>
      transaction.status === "committed" && transaction.offset <= offset && writeOf(transaction, key) !== undefined,
  );
  return writer?.transaction.offset ?? 0;
}

function isPresent(before: readonly Told[], key: Key, version: number): boolean {
  const writer = before.find(({ transaction }) => transaction.offset === version);
  return writer !== undefined && writeOf(writer.transaction, key)?.deleted === false;
}

function writeOf(transaction: LoggedTransaction, key: Key): LoggedTransaction["writes"][number] | undefined {
  return transaction.writes.find((write) => write.key === key);
}
