/*
 * When a record is `invalid`. Of several reasons the first in this order is given: the record as a whole; the counts and
 * the result; each point, each range, each write and each effect, one by one; the holds that it confirms. Of a hold: its
 * attempt, its index, its names, its arguments, its times.
 */
import { isUtf8 } from "node:buffer";
import {
  bufferOf,
  partitionOf,
  toBytes,
  type Bytes,
  type Genesis,
  type Hold,
  type Intent,
  type InvalidReason,
  type Key,
  type KeyRange,
  type Limits,
  type Offset,
  type Submit,
} from "@seriatim/protocol";
import type { IntentItem } from "../space/items.ts";

type Reasons = Generator<InvalidReason, void>;

/** Why the record is invalid; null when it is not. */
export function invalidReason(item: IntentItem, intent: Intent, genesis: Genesis): InvalidReason | null {
  for (const reason of reasons(item, intent, genesis)) return reason;
  return null;
}

function* reasons({ partition, offset, bytes }: IntentItem, intent: Intent, genesis: Genesis): Reasons {
  const { limits } = genesis;
  if (intent.space !== genesis.space) yield "other_space";
  if (intent.partition !== partition) yield "wrong_partition";
  if (bytes.length > limits.recordBytes) yield "record_too_large";
  for (const name of [intent.id, intent.agent]) if (!isName(name, limits)) yield "bad_name";
  if (intent.snapshot < 0 || intent.snapshot >= offset) yield "snapshot_not_before_record";
  if (intent.kind === "submit") yield* submitReasons(intent, genesis, offset);
  if (intent.kind === "hold") yield* holdReasons(intent, genesis);
  if (intent.kind === "expire" && !(intent.snapshot < intent.hold && intent.hold < offset)) yield "bad_hold";
}

function* holdReasons(hold: Hold, { limits }: Genesis): Reasons {
  if (!isName(hold.attempt, limits)) yield "bad_name";
  if (hold.index >= limits.holds) yield "too_many_holds";
  for (const name of [hold.name, hold.undo]) if (name !== null && !isName(name, limits)) yield "bad_effect";
  if (hold.arguments.length > limits.effectBytes) yield "effect_too_large";
  if (hold.index < 0 || hold.timeout < 1 || hold.timeout >= hold.lease || hold.lease > limits.leaseMs) yield "bad_hold";
}

function isName(name: string, { nameBytes }: Limits): boolean {
  return name !== "" && toBytes(name).length <= nameBytes;
}

function* submitReasons(intent: Submit, genesis: Genesis, offset: Offset): Reasons {
  const { points, ranges, writes, effects, holds, result, partition, snapshot } = intent;
  const { limits } = genesis;
  if (points.length > limits.points) yield "too_many_points";
  if (ranges.length > limits.ranges) yield "too_many_ranges";
  if (writes.length > limits.writes) yield "too_many_writes";
  if (effects.length > limits.effects) yield "too_many_effects";
  if (holds.length > limits.holds) yield "too_many_holds";
  if (result !== null && result.length > limits.resultBytes) yield "result_too_large";

  const touched = new TouchedKeys(genesis, partition);
  const read = new Set<Key>();
  for (const { key, version } of points) {
    if (!isKey(key, limits.keyBytes)) yield "bad_key";
    yield* touched.reasons(firstSegment(key));
    if (read.size === read.add(key).size) yield "key_repeated";
    if (version !== null && version > snapshot) yield "point_above_snapshot";
  }
  for (const range of ranges) {
    const { from, to } = range;
    // One byte more than a key, so that a range can begin just after the longest.
    if (from >= to || from.length > limits.keyBytes + 1 || to.length > limits.keyBytes + 1) yield "bad_range";
    yield* touched.reasons(commonSegment(range));
  }
  const written = new Set<Key>();
  for (const { key, value } of writes) {
    if (!isKey(key, limits.keyBytes)) yield "bad_key";
    yield* touched.reasons(firstSegment(key));
    if (written.size === written.add(key).size) yield "key_repeated";
    if (value !== null && value.length > limits.valueBytes) yield "value_too_large";
  }
  for (const { name, lane, arguments: args } of effects) {
    if (!isName(name, limits) || !isName(lane, limits)) yield "bad_effect";
    if (args.length > limits.effectBytes) yield "effect_too_large";
  }
  for (const [index, hold] of holds.entries()) {
    const before = index === 0 ? snapshot : (holds[index - 1] ?? snapshot);
    if (hold <= before || hold >= offset) yield "bad_hold";
  }
}

/** Where an intent may touch one partition key only: the first belongs to its partition, and all others are the same. */
class TouchedKeys {
  readonly #genesis: Genesis;
  readonly #partition: number;
  #first: string | undefined;

  constructor(genesis: Genesis, partition: number) {
    this.#genesis = genesis;
    this.#partition = partition;
  }

  *reasons(segment: string | undefined): Reasons {
    const { limits, partitions } = this.#genesis;
    if (limits.partitionKeys === 0) return;
    if (segment === undefined) yield "partition_keys";
    else if (this.#first === undefined) {
      this.#first = segment;
      if (partitionOf(segment as Bytes, partitions) !== this.#partition) yield "wrong_partition";
    } else if (segment !== this.#first) yield "partition_keys";
  }
}

function isKey(key: Key, longest: number): boolean {
  const slash = key.indexOf("/");
  if (slash < 1 || slash === key.length - 1) return false;
  return key.length <= longest && !key.includes("\0") && isUtf8(bufferOf(key));
}

function firstSegment(key: string): string | undefined {
  return key.split("/", 1)[0];
}

/** The first segment of every key in the range; undefined when they may have several. */
function commonSegment({ from, to }: KeyRange): string | undefined {
  const slash = from.indexOf("/");
  if (slash < 1) return undefined;
  // What begins with "a/" ends before "a0", for "0" follows "/".
  return to <= `${from.slice(0, slash)}0` ? from.slice(0, slash) : undefined;
}
