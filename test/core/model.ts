/*
 * The rules once more, as ARCHITECTURE.md numbers them, by the plainest means: whole histories, no index, no forgetting, keys
 * compared as buffers. Shares only the contract's types and codec with what it judges.
 */
import { Buffer } from "node:buffer";
import { createCodec, partitionOf, sha256 } from "@seriatim/protocol";
import type {
  Bytes,
  Conflict,
  ConflictKind,
  Digest,
  Expire,
  Genesis,
  Hold,
  Intent,
  InvalidReason,
  Outcome,
  RefusalCode,
  Submit,
  Verdict,
} from "@seriatim/protocol";

export interface LoggedRecord {
  readonly offset: number;
  readonly appendTime: number;
  readonly bytes: Uint8Array;
}

interface Past {
  readonly offset: number;
  readonly digest: Digest;
  readonly intent: Intent | undefined;
  readonly outcome: Outcome;
}

/** The bytes of all verdicts on a partition's log, whose first record is the genesis. */
export function verdictsOf(genesis: Genesis, partition: number, log: readonly LoggedRecord[]): readonly Uint8Array[] {
  const codec = createCodec(genesis, sha256);
  const past: Past[] = [];
  const verdicts: Uint8Array[] = [];
  let predecessor = { offset: -1, chain: "\0".repeat(32) as Digest };
  for (const [place, { offset, bytes }] of log.entries()) {
    const digest = sha256(bytes);
    const time = Math.max(...log.slice(0, place + 1).map(({ appendTime }) => appendTime));
    const decoded = codec.decodeIntent(bytes);
    const intent = decoded.kind === "genesis" || decoded.kind === "invalid" ? undefined : decoded;
    const common: Omit<Verdict, "chain" | "outcome"> = {
      space: genesis.space,
      partition,
      offset,
      predecessor,
      digest,
      id: intent !== undefined && isName(intent.id, genesis) ? intent.id : null,
      agent: intent !== undefined && isName(intent.agent, genesis) ? intent.agent : null,
      time,
    };
    let outcome: Outcome;
    if (place === 0) outcome = { kind: "genesis", genesis: bytes };
    else if (decoded.kind === "genesis") outcome = no("invalid", { reason: "genesis_repeated" });
    else if (decoded.kind === "invalid") outcome = no("invalid", { reason: decoded.reason });
    else outcome = outcomeOf(decoded, { genesis, partition, offset, digest, time, bytes, past });
    let encoded = codec.encodeVerdict({ ...common, outcome });
    if (outcome.kind === "committed" && encoded.bytes.length > genesis.limits.verdictBytes) {
      outcome = no("too_large");
      encoded = codec.encodeVerdict({ ...common, outcome });
    }
    verdicts.push(encoded.bytes);
    past.push({ offset, digest, intent, outcome });
    predecessor = { offset, chain: encoded.chain };
  }
  return verdicts;
}

interface Place {
  readonly genesis: Genesis;
  readonly partition: number;
  readonly offset: number;
  readonly digest: Digest;
  readonly time: number;
  readonly bytes: Uint8Array;
  readonly past: readonly Past[];
}

function no(code: RefusalCode, more: { reason?: InvalidReason; conflicts?: Conflict[]; first?: number } = {}): Outcome {
  return { kind: "refused", code, reason: null, conflicts: [], first: null, ...more };
}

function outcomeOf(intent: Intent, place: Place): Outcome {
  const [reason] = reasons(intent, place);
  if (reason !== undefined) return no("invalid", { reason });
  const { window } = place.genesis.limits;
  if (place.offset - intent.snapshot > window) return no("too_old");

  const claims = place.past.filter(({ intent: before, outcome, offset }) => {
    const decides =
      ["committed", "cancelled", "expired"].includes(outcome.kind) ||
      (outcome.kind === "refused" && ["not_in_time", "conflict", "too_large"].includes(outcome.code));
    return before?.id === intent.id && decides && offset + window > place.offset;
  });
  const claim = claims.at(-1);
  if (intent.kind === "hold") return outcomeOfHold(intent, place, claim);
  if (claim !== undefined) {
    const first = claim.offset;
    if (intent.kind !== "submit") return { kind: "repeated", first };
    if (claim.digest === place.digest) return { kind: "repeated", first };
    return no(claim.intent?.kind === "submit" ? "id_reused" : "cancelled", { first });
  }
  if (intent.kind === "cancel") return { kind: "cancelled" };
  if (intent.kind === "expire") return outcomeOfExpire(intent, place);

  if (intent.validFrom !== null && place.time < intent.validFrom) return no("not_in_time");
  if (intent.validUntil !== null && place.time >= intent.validUntil) return no("not_in_time");
  const conflicts = conflictsOf(intent, place.past).slice(0, place.genesis.limits.conflicts);
  if (conflicts.length > 0) return no("conflict", { conflicts });
  return {
    kind: "committed",
    writes: intent.writes.map(({ key, value }) => ({ key, value })),
    effects: intent.effects,
    holds: intent.holds,
    result: intent.result,
  };
}

function outcomeOfHold(hold: Hold, { genesis, offset, digest, time, past }: Place, claim: Past | undefined): Outcome {
  const { index, name, arguments: args, undo, lease, timeout } = hold;
  for (const before of past) {
    if (before.outcome.kind !== "held" || before.intent?.id !== hold.id || before.outcome.index !== index) continue;
    if (before.offset + genesis.limits.window <= offset) continue;
    const first = before.offset;
    return before.digest === digest ? { kind: "repeated", first } : no("id_reused", { first });
  }
  if (claim !== undefined) return no("closed", { first: claim.offset });
  return { kind: "held", index, name, arguments: args, undo, deadline: time + lease, timeout };
}

/** However old the hold is that it names: one that the window no longer reaches is not above its snapshot. */
function outcomeOfExpire(expire: Expire, { time, past }: Place): Outcome {
  const hold = past.find(({ offset }) => offset === expire.hold);
  if (hold?.outcome.kind !== "held" || hold.intent?.id !== expire.id) return no("no_hold");
  return time >= hold.outcome.deadline ? { kind: "expired" } : no("not_expired");
}

/** All of them, each key once, in the order in which a verdict names them. */
function conflictsOf({ isolation, snapshot, points, ranges, writes }: Submit, past: readonly Past[]): Conflict[] {
  const changed = new Map<string, { key: Buffer; version: number }>();
  for (const { offset, outcome } of past)
    if (outcome.kind === "committed" && offset > snapshot)
      for (const { key } of outcome.writes) changed.set(hex(key), { key: raw(key), version: offset });

  const all: Conflict[] = [];
  const look = (kind: ConflictKind, key: Bytes): void => {
    const found = changed.get(hex(key));
    if (found !== undefined) all.push({ kind, key, version: found.version });
  };
  if (isolation === "serializable") {
    for (const { key } of points) look("point", key);
    for (const { from, to } of ranges) {
      const inside = [...changed.values()]
        .map(({ key }) => key)
        .filter((key) => Buffer.compare(raw(from), key) <= 0 && Buffer.compare(key, raw(to)) < 0)
        .toSorted((a, b) => Buffer.compare(a, b));
      for (const key of inside) look("range", key.toString("latin1") as Bytes);
    }
  }
  if (isolation !== "none") for (const { key, blind } of writes) if (!blind) look("write", key);
  return all.filter(({ key }, index) => all.findIndex((other) => other.key === key) === index);
}

/** Why the record is invalid: all reasons, in the order in which they are looked for. */
function* reasons(intent: Intent, place: Place): Generator<InvalidReason> {
  const { genesis, partition, offset, bytes } = place;
  const { limits } = genesis;
  if (intent.space !== genesis.space) yield "other_space";
  if (intent.partition !== partition) yield "wrong_partition";
  if (bytes.length > limits.recordBytes) yield "record_too_large";
  if (!isName(intent.id, genesis) || !isName(intent.agent, genesis)) yield "bad_name";
  if (intent.snapshot >= offset || intent.snapshot < 0) yield "snapshot_not_before_record";
  if (intent.kind === "cancel") return;
  if (intent.kind === "expire") {
    if (intent.hold <= intent.snapshot || intent.hold >= offset) yield "bad_hold";
    return;
  }
  if (intent.kind === "hold") {
    yield* holdReasons(intent, genesis);
    return;
  }

  if (intent.points.length > limits.points) yield "too_many_points";
  if (intent.ranges.length > limits.ranges) yield "too_many_ranges";
  if (intent.writes.length > limits.writes) yield "too_many_writes";
  if (intent.effects.length > limits.effects) yield "too_many_effects";
  if (intent.holds.length > limits.holds) yield "too_many_holds";
  if ((intent.result?.length ?? 0) > limits.resultBytes) yield "result_too_large";

  const partitionKeys: string[] = [];
  const misplaced = function* (partitionKey: string | undefined): Generator<InvalidReason> {
    if (limits.partitionKeys === 0) return;
    if (partitionKey === undefined) {
      yield "partition_keys";
      return;
    }
    const [first] = partitionKeys;
    partitionKeys.push(partitionKey);
    if (first !== undefined && first !== partitionKey) yield "partition_keys";
    if (first === undefined && partitionOf(partitionKey as Bytes, genesis.partitions) !== partition)
      yield "wrong_partition";
  };
  for (const [index, { key, version }] of intent.points.entries()) {
    if (!isKey(key, genesis)) yield "bad_key";
    yield* misplaced(key.split("/")[0]);
    if (intent.points.slice(0, index).some((before) => before.key === key)) yield "key_repeated";
    if (version !== null && version > intent.snapshot) yield "point_above_snapshot";
  }
  for (const { from, to } of intent.ranges) {
    if (Buffer.compare(raw(from), raw(to)) >= 0) yield "bad_range";
    if (from.length > limits.keyBytes + 1 || to.length > limits.keyBytes + 1) yield "bad_range";
    yield* misplaced(partitionKeyAround(raw(from), raw(to)));
  }
  for (const [index, { key, value }] of intent.writes.entries()) {
    if (!isKey(key, genesis)) yield "bad_key";
    yield* misplaced(key.split("/")[0]);
    if (intent.writes.slice(0, index).some((before) => before.key === key)) yield "key_repeated";
    if ((value?.length ?? 0) > limits.valueBytes) yield "value_too_large";
  }
  for (const { name, lane, arguments: args } of intent.effects) {
    if (!isName(name, genesis) || !isName(lane, genesis)) yield "bad_effect";
    if (args.length > limits.effectBytes) yield "effect_too_large";
  }
  for (const [index, hold] of intent.holds.entries())
    if (hold >= offset || [intent.snapshot, ...intent.holds.slice(0, index)].some((before) => before >= hold))
      yield "bad_hold";
}

function* holdReasons(hold: Hold, genesis: Genesis): Generator<InvalidReason> {
  const { limits } = genesis;
  if (!isName(hold.attempt, genesis)) yield "bad_name";
  if (hold.index >= limits.holds) yield "too_many_holds";
  if (!isName(hold.name, genesis) || !isName(hold.undo ?? "none", genesis)) yield "bad_effect";
  if (hold.arguments.length > limits.effectBytes) yield "effect_too_large";
  const isLease = hold.lease <= limits.leaseMs && hold.timeout >= 1 && hold.timeout < hold.lease;
  if (hold.index < 0 || !isLease) yield "bad_hold";
}

/** The partition key of all that lies in `[from, to)`: `from`'s, unless `to` is beyond the last key under it. */
function partitionKeyAround(from: Buffer, to: Buffer): string | undefined {
  const slash = from.indexOf("/");
  if (slash <= 0) return undefined;
  const beyond = Buffer.concat([from.subarray(0, slash), Buffer.from([0x30])]);
  return Buffer.compare(to, beyond) <= 0 ? from.subarray(0, slash).toString("latin1") : undefined;
}

function isKey(key: Bytes, { limits }: Genesis): boolean {
  const [partitionKey, ...rest] = key.split("/");
  if (partitionKey === "" || rest.join("/") === "" || key.length > limits.keyBytes || key.includes("\0")) return false;
  return Buffer.from(raw(key).toString("utf8"), "utf8").equals(raw(key));
}

function isName(name: string, { limits }: Genesis): boolean {
  return name.length > 0 && Buffer.byteLength(name, "utf8") <= limits.nameBytes;
}

function raw(bytes: Bytes): Buffer {
  return Buffer.from(bytes, "latin1");
}

function hex(bytes: Bytes): string {
  return raw(bytes).toString("hex");
}
