/*
 * Which records are `invalid`, and for which reason (invariant 8). The first fault found is the one given, and the
 * order in which they are looked for is part of the rules:
 *
 *   1. the record: decoding (its own reason), genesis_repeated, other_space, wrong_partition (the one it names),
 *      record_too_large, bad_name (id, then agent), snapshot_not_before_record
 *   2. a submit's counts and result: too_many_points, _ranges, _writes, _effects, _holds, result_too_large
 *   3. each point in order: bad_key, partition_keys or wrong_partition (where its key belongs), key_repeated,
 *      point_above_snapshot
 *   4. each range in order: bad_range, partition_keys or wrong_partition
 *   5. each write in order: bad_key, partition_keys or wrong_partition, key_repeated, value_too_large
 *   6. each effect in order: bad_effect (name, lane), effect_too_large; then the holds that it confirms: bad_hold
 *
 *   2. a hold: bad_name (attempt), too_many_holds (its index), bad_effect (name, undo), effect_too_large, bad_hold (a
 *      negative index, lease, time-out)
 *
 *   2. an expire: bad_hold (not between its snapshot and its own place)
 *
 * Where an intent may touch one partition key, the first that it names must belong to this partition
 * (wrong_partition), and the others must be equal to the first (partition_keys).
 */
import { keyFault, partitionKeyOf, partitionKeyOfRange, partitionOf, toBytes } from "@seriatim/protocol";
import type {
  Bytes,
  Genesis,
  Hold,
  Intent,
  InvalidReason,
  Key,
  KeyRange,
  Limits,
  Offset,
  Submit,
} from "@seriatim/protocol";

type Fault = InvalidReason | undefined;

/** Why the intent is invalid in this place; undefined when it is valid. */
export function faultOf(
  intent: Intent,
  genesis: Genesis,
  partition: number,
  record: { readonly offset: Offset; readonly bytes: Uint8Array },
): Fault {
  const { limits } = genesis;
  if (intent.space !== genesis.space) return "other_space";
  if (intent.partition !== partition) return "wrong_partition";
  if (record.bytes.length > limits.recordBytes) return "record_too_large";
  if (legibleName(intent.id, limits) === null || legibleName(intent.agent, limits) === null) return "bad_name";
  if (intent.snapshot < 0 || intent.snapshot >= record.offset) return "snapshot_not_before_record";
  switch (intent.kind) {
    case "cancel":
      return undefined;
    case "hold":
      return holdFault(intent, limits);
    case "expire":
      return isBetween(intent.hold, intent.snapshot, record.offset) ? undefined : "bad_hold";
    case "submit":
      return (
        sizeFault(intent, limits) ??
        partsFault(intent, limits, new Place(genesis, partition)) ??
        effectsFault(intent, limits, record.offset)
      );
  }
}

/** An id, or another name that a verdict may repeat; null when it is empty or longer than `nameBytes`. */
export function legibleName(name: string, { nameBytes }: Pick<Limits, "nameBytes">): string | null {
  // A UTF-16 unit is at most three bytes in UTF-8, so that most names need no encoding.
  const fits = name.length * 3 <= nameBytes || toBytes(name).length <= nameBytes;
  return name !== "" && fits ? name : null;
}

function holdFault(hold: Hold, limits: Limits): Fault {
  const { attempt, index, name, arguments: args, undo, lease, timeout } = hold;
  if (legibleName(attempt, limits) === null) return "bad_name";
  if (index >= limits.holds) return "too_many_holds";
  if (legibleName(name, limits) === null || (undo !== null && legibleName(undo, limits) === null)) return "bad_effect";
  if (args.length > limits.effectBytes) return "effect_too_large";
  if (index < 0 || lease > limits.leaseMs || timeout < 1 || timeout >= lease) return "bad_hold";
  return undefined;
}

function effectsFault({ effects, holds, snapshot }: Submit, limits: Limits, offset: Offset): Fault {
  for (const { name, lane, arguments: args } of effects) {
    if (legibleName(name, limits) === null || legibleName(lane, limits) === null) return "bad_effect";
    if (args.length > limits.effectBytes) return "effect_too_large";
  }
  let before = snapshot;
  for (const hold of holds) {
    if (!isBetween(hold, before, offset)) return "bad_hold";
    before = hold;
  }
  return undefined;
}

function isBetween(offset: Offset, above: Offset, below: Offset): boolean {
  return offset > above && offset < below;
}

function sizeFault({ points, ranges, writes, effects, holds, result }: Submit, limits: Limits): Fault {
  if (points.length > limits.points) return "too_many_points";
  if (ranges.length > limits.ranges) return "too_many_ranges";
  if (writes.length > limits.writes) return "too_many_writes";
  if (effects.length > limits.effects) return "too_many_effects";
  if (holds.length > limits.holds) return "too_many_holds";
  if (result !== null && result.length > limits.resultBytes) return "result_too_large";
  return undefined;
}

function partsFault({ points, ranges, writes, snapshot }: Submit, limits: Limits, place: Place): Fault {
  const isRepeatedPoint = repetitions(points);
  for (const [index, { key, version }] of points.entries()) {
    if (keyFault(key, limits.keyBytes) !== undefined) return "bad_key";
    const misplaced = place.faultOf(partitionKeyOf(key));
    if (misplaced !== undefined) return misplaced;
    if (isRepeatedPoint(key, index)) return "key_repeated";
    if (version !== null && version > snapshot) return "point_above_snapshot";
  }
  for (const range of ranges) {
    if (isBadRange(range, limits.keyBytes)) return "bad_range";
    const misplaced = place.faultOf(partitionKeyOfRange(range));
    if (misplaced !== undefined) return misplaced;
  }
  const isRepeatedWrite = repetitions(writes);
  for (const [index, { key, value }] of writes.entries()) {
    if (keyFault(key, limits.keyBytes) !== undefined) return "bad_key";
    const misplaced = place.faultOf(partitionKeyOf(key));
    if (misplaced !== undefined) return misplaced;
    if (isRepeatedWrite(key, index)) return "key_repeated";
    if (value !== null && value.length > limits.valueBytes) return "value_too_large";
  }
  return undefined;
}

/** Bounds may be `last + \0`, and `from` may be empty, below every key. */
function isBadRange({ from, to }: KeyRange, keyBytes: number): boolean {
  return from >= to || from.length > keyBytes + 1 || to.length > keyBytes + 1;
}

/** Where an intent's keys may belong. */
class Place {
  readonly #genesis: Genesis;
  readonly #partition: number;
  #partitionKey: Bytes | undefined;

  constructor(genesis: Genesis, partition: number) {
    this.#genesis = genesis;
    this.#partition = partition;
  }

  /** @param partitionKey undefined for a range over several. */
  faultOf(partitionKey: Bytes | undefined): Fault {
    const { limits, partitions } = this.#genesis;
    // Any number of partition keys only ever goes with one partition.
    if (limits.partitionKeys === 0) return undefined;
    if (partitionKey === undefined) return "partition_keys";
    if (this.#partitionKey === undefined) {
      this.#partitionKey = partitionKey;
      return partitionOf(partitionKey, partitions) === this.#partition ? undefined : "wrong_partition";
    }
    return partitionKey === this.#partitionKey ? undefined : "partition_keys";
  }
}

/** Up to here comparing each with each is quicker than building a set. */
const few = 8;

/** Whether the key at an index, asked for in order, stands at a lower index too. */
function repetitions(entries: readonly { readonly key: Key }[]): (key: Key, index: number) => boolean {
  if (entries.length <= few) return (key, index) => entries.findIndex((entry) => entry.key === key) < index;
  const seen = new Set<Key>();
  return (key) => seen.size === seen.add(key).size;
}
