import type { Digest, Key, KeyRange, Offset, Position } from "@seriatim/protocol";

/** Where a partition stands: what its last record with a verdict leaves behind besides writes and claims. */
export interface Head {
  readonly position: Position;
  /** Log time there; 0 before the genesis. */
  readonly time: number;
}

/** A key and the offset at which it was last written or deleted. */
export interface KeyVersion {
  readonly key: Key;
  readonly version: Offset;
}

/** The record that claimed an id: the first in the log to get a verdict that does. */
export interface Claim {
  readonly offset: Offset;
  readonly digest: Digest;
  /** Whether that record was a cancel or an expire. */
  readonly cancelled: boolean;
}

/** A hold that stands, whatever has become of its id since. */
export interface HeldEffect {
  readonly offset: Offset;
  readonly index: number;
  readonly digest: Digest;
  /** Log time from which on it may be expired, in ms since 1970. */
  readonly deadline: number;
}

/**
 * What a decision reads: the fold of all verdicts up to the head, as far as the window reaches.
 *
 * Synchronous, and asked only about what is younger than the oldest snapshot admissible for the next record. It may
 * remember more, or forget what is older (invariant 7): no verdict depends on which.
 */
export interface State {
  /** The offset at which the key was last written or deleted; -1 when never, or longer ago than the window. */
  lastWrite(key: Key): Offset;
  /** Keys in `range` last written or deleted above `after`: the first `limit` of them in byte order. */
  newestIn(range: KeyRange, after: Offset, limit: number): readonly KeyVersion[];
  /** The latest claim of this id. */
  claim(id: string): Claim | undefined;
  /** The holds of this id, in order of offset. */
  holds(id: string): readonly HeldEffect[];
}
