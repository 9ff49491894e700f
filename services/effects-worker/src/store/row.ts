import type { Digest, EffectPlace, Offset } from "@seriatim/protocol";
import { isOpen, noProgress, type EffectState, type OwnCall, type Progress } from "../core/index.ts";

/** Which effect: its place, and the digest of its arguments. A record that names another digest is of no effect. */
export interface EffectId extends EffectPlace {
  readonly partition: number;
  readonly digest: Digest;
}

interface Defined {
  /** Of the handler. */
  readonly name: string;
  /** The intent's id, and who asked for it. */
  readonly intent: string;
  readonly agent: string | null;
  /** Log time at the record that brought it about, in ms since 1970. */
  readonly time: number;
}

/** What the verdicts say of an effect. */
export type Definition =
  | (Defined & { readonly kind: "deferred"; readonly lane: string })
  /** Announced; its agent calls it. */
  | (Defined & {
      readonly kind: "hold";
      /** The handler of its inverse; null where there is none. */
      readonly undo: string | null;
      /** Log time from which on it may be expired, in ms since 1970. */
      readonly deadline: number;
      /** Of the forward call, in ms. */
      readonly timeout: number;
      /** Whether its intent is still to be decided. */
      readonly isOpen: boolean;
    })
  /** The inverse of a hold whose intent did not commit. */
  | (Defined & {
      readonly kind: "undo";
      /** Of the forward call, in ms. */
      readonly timeout: number;
    });

/** One effect, as far as the logs were read. */
export interface Row extends EffectId {
  /** Null as long as its verdict was not read. */
  readonly definition: Definition | null;
  /** The offset of the verdict that the definition was last changed by; -1 without one. */
  readonly changed: Offset;
  /** Null as long as its verdict was not read. */
  readonly arguments: Uint8Array | null;
  readonly progress: Progress;
}

export function keyOf({ offset, index, side, digest }: Omit<EffectId, "partition">): string {
  return `${offset} ${index} ${side} ${digest}`;
}

/** Whether a worker still has to do something about it, now or later. */
export function isOpenRow({ definition, progress }: Row): boolean {
  if (definition === null) return false;
  return definition.kind === "hold" ? definition.isOpen : isOpen(progress.state) && isNeeded({ definition, progress });
}

/** False of an inverse whose forward call has surely not happened, as its agent said. */
export function isNeeded({ definition, progress }: Pick<Row, "definition" | "progress">): boolean {
  return definition?.kind !== "undo" || progress.own?.outcome !== "failed";
}

/** The state that it is looked for by: `done` where nothing will ever be left to do about it. */
export function storedState(row: Row): EffectState {
  const isOver = row.definition?.kind === "hold" ? !row.definition.isOpen : !isNeeded(row);
  return isOver ? "done" : row.progress.state;
}

/** What two that have read differently far know of one effect, put together. */
export function mergedRow(one: Row, other: Row): Row {
  const defined = one.changed > other.changed ? one : other;
  const { progress } = one.progress.applied > other.progress.applied ? one : other;
  return { ...defined, progress: { ...progress, own: laterOwn(one.progress.own, other.progress.own) } };
}

/** What the log says of an agent's own call by what is read of it later: it only ever comes to say more. */
export function laterOwn(one: OwnCall | null, other: OwnCall | null): OwnCall | null {
  return one === null || other?.outcome === "done" ? other : one;
}

export function blankRow({ partition, offset, index, side, digest }: EffectId): Row {
  return {
    partition,
    offset,
    index,
    side,
    digest,
    definition: null,
    changed: -1,
    arguments: null,
    progress: noProgress,
  };
}

/** How far one partition was read, and what shows that the logs are still the ones that were read. */
export interface Position {
  /** The intents offset of the last verdict applied, and its chain hash. */
  readonly applied: Offset;
  readonly chain: Digest;
  /** Where that verdict stands in the verdicts log. */
  readonly at: Offset;
  /** Where to read on in the verdicts log. */
  readonly nextVerdict: Offset;
  /** Where to read on in the effects log, and the SHA-256 of the record before that. */
  readonly nextEffect: Offset;
  readonly lastEffect: Digest;
}
