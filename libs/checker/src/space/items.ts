import type {
  DecodedRecord,
  Digest,
  EffectRecord,
  EffectsCodec,
  Hash,
  Offset,
  Outcome,
  RecordCodec,
  Verdict,
} from "@seriatim/protocol";

/** A record of the intents log, read. */
export interface IntentItem {
  readonly kind: "intent";
  readonly partition: number;
  readonly offset: Offset;
  /** When the log appended it, in ms since 1970. */
  readonly time: number;
  readonly record: DecodedRecord;
  readonly bytes: Uint8Array;
  /** SHA-256 of `bytes`. */
  readonly digest: Digest;
}

/** A record of the verdicts log, read. */
export interface VerdictItem {
  readonly kind: "verdict";
  readonly partition: number;
  /** Its place in the verdicts log. */
  readonly at: Offset;
  readonly bytes: Uint8Array;
  /** Undefined when it is no verdict, or not the one that its chain hash was made of. */
  readonly verdict: Verdict | undefined;
}

/** An intents record of an export together with its verdict, which says what the record makes it say. */
export interface DecidedItem {
  readonly kind: "decided";
  readonly partition: number;
  readonly intent: IntentItem;
  readonly outcome: Outcome;
  /** Of the verdict; undefined where the history was not made by a sequencer. */
  readonly chain: Digest | undefined;
}

/** A record of the effects log, read. Its genesis is not given. */
export interface EffectItem {
  readonly kind: "effect";
  readonly partition: number;
  /** Its place in the effects log. */
  readonly at: Offset;
  readonly bytes: Uint8Array;
  /** Undefined when it is no record of this space. */
  readonly record: EffectRecord | undefined;
}

/** Something that should be a record and is none, such as a torn line of an export. */
export interface BrokenItem {
  readonly kind: "broken";
  /** Null when it cannot be told. */
  readonly partition: number | null;
  readonly offset: Offset | null;
  /** A sentence. */
  readonly message: string;
}

/**
 * What a space's logs hold. Of one partition, the effects come first, whole, and the intents come in the order of their log and the verdicts in that of
 * theirs, an intent before its verdict.
 */
export type Item = IntentItem | VerdictItem | DecidedItem | EffectItem | BrokenItem;

export interface StoredRecord {
  readonly offset: Offset;
  readonly time: number;
  readonly value: Uint8Array;
}

export function intentItem(codec: RecordCodec, hash: Hash, partition: number, stored: StoredRecord): IntentItem {
  const { offset, time, value: bytes } = stored;
  return { kind: "intent", partition, offset, time, bytes, digest: hash(bytes), record: codec.decodeIntent(bytes) };
}

export function verdictItem(
  codec: RecordCodec,
  partition: number,
  { offset, value: bytes }: StoredRecord,
): VerdictItem {
  return { kind: "verdict", partition, at: offset, bytes, verdict: codec.decodeVerdict(bytes) };
}

export function effectItem(codec: EffectsCodec, partition: number, { offset, value: bytes }: StoredRecord): EffectItem {
  return { kind: "effect", partition, at: offset, bytes, record: codec.decode(bytes) };
}
