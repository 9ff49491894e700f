import type { Bytes } from "./keys.ts";
import type { Digest, Offset } from "./types.ts";

/**
 * Which side of an effect: `forward` is what the intent asked for (a deferred effect, or the call of a hold), `undo` is
 * the inverse that a hold names.
 */
export type EffectSide = "forward" | "undo";

/**
 * An effect's place: the offset of the intents record that brought it about (the submit of a deferred effect, the hold of
 * a compensable one), its index there, and its side.
 */
export interface EffectPlace {
  readonly offset: Offset;
  readonly index: number;
  readonly side: EffectSide;
}

interface EffectRecordBase {
  readonly space: Bytes;
  readonly partition: number;
  readonly effect: EffectPlace;
  /** SHA-256 of the effect's arguments: a record for other arguments is void. */
  readonly arguments: Digest;
}

/** A worker takes an effect: the first claim of an attempt in the log wins, and only its worker calls. */
export interface EffectClaim extends EffectRecordBase {
  readonly kind: "claim";
  /** From 1; the attempt after the last one that ended or was taken over. */
  readonly attempt: number;
  /** A name of the worker's, unique to its start. */
  readonly worker: string;
}

/** How an attempt ended. */
export type EffectResult =
  | { readonly kind: "done"; readonly result: Uint8Array | null }
  /** Tried in vain, to be tried again after `delay` ms. */
  | { readonly kind: "again"; readonly error: string; readonly delay: number }
  /** A dead letter: it will not be tried again, and surely has not happened or is refused by the receiver. */
  | { readonly kind: "failed"; readonly error: string }
  /** It may have happened, and its handler does not promise idempotence. */
  | { readonly kind: "unknown"; readonly error: string };

/** What came of an attempt. */
export interface EffectReport extends EffectRecordBase {
  readonly kind: "report";
  /** Offset, in the effects log, of the claim that this reports on; null from an agent that called its own hold. */
  readonly claim: Offset | null;
  readonly worker: string;
  readonly result: EffectResult;
}

export const effectActs = ["retry", "resolve", "drop"] as const;
/** `retry`: pending again; `resolve`: done, as a person saw; `drop`: never to be called. */
export type EffectAct = (typeof effectActs)[number];

/** What a person decided about an effect. */
export interface EffectDecision extends EffectRecordBase {
  readonly kind: "decision";
  readonly act: EffectAct;
  readonly who: string;
  readonly why: string;
}

/** One record of the effects log after its genesis. */
export type EffectRecord = EffectClaim | EffectReport | EffectDecision;
