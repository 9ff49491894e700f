import type { Digest, Effect, EffectPlace, EffectRecord, Hash, Offset } from "@seriatim/protocol";
import type { DecidedRecord } from "../audit/decided.ts";
import type { Objections } from "../audit/objections.ts";
import { EffectState, type EffectStanding } from "./effect-state.ts";

export interface EffectCounts {
  /** Effects of commits. */
  asked: number;
  /** Records of the effects log, its genesis aside. */
  records: number;
  /** Effects of commits by how they stand. */
  readonly standing: Record<EffectStanding, number>;
}

/**
 * The effects log of one partition, held against the commits that asked for its effects. It is read first; what it says
 * of effects is in memory until it is known whether they were asked for.
 */
export class EffectsAudit {
  readonly counts: EffectCounts = {
    asked: 0,
    records: 0,
    standing: { pending: 0, claimed: 0, done: 0, failed: 0, unknown: 0, dropped: 0 },
  };
  readonly #partition: number;
  readonly #hash: Hash;
  readonly #objections: Objections;
  readonly #effects = new Map<Offset, Map<string, EffectState>>();

  constructor(partition: number, hash: Hash, objections: Objections) {
    this.#partition = partition;
    this.#hash = hash;
    this.#objections = objections;
  }

  /** A record of the effects log at `at`; undefined when it is none. The genesis is not given. */
  note(at: Offset, record: EffectRecord | undefined): void {
    this.counts.records += 1;
    if (record === undefined) {
      this.#objections.add("audit:record", this.#partition, null, `record ${at} of the effects log is none`);
      return;
    }
    const { effect } = record;
    const places = this.#effects.get(effect.offset) ?? new Map<string, EffectState>();
    this.#effects.set(effect.offset, places);
    const name = nameOf(effect);
    const state = places.get(name) ?? new EffectState(effect);
    places.set(name, state);
    const fault = state.take(at, record);
    if (fault !== undefined) this.#add(effect, fault);
  }

  /** Where in the effects log each effect of a commit first left; null where it has not. */
  leftOf(offset: Offset): (index: number) => Offset | null {
    const places = this.#effects.get(offset);
    return (index) => places?.get(nameOf({ index, side: "forward" }))?.left ?? null;
  }

  take({ offset, outcome }: DecidedRecord): void {
    const places = this.#effects.get(offset);
    const effects = outcome?.kind === "committed" ? outcome.effects : [];
    for (const [index, effect] of effects.entries())
      this.#match(places?.get(nameOf({ index, side: "forward" })), effect);
    if (places === undefined || outcome === undefined) return;
    for (const state of places.values()) {
      const { index, side } = state.place;
      if (outcome.kind !== "committed") this.#add(state.place, `belongs to a record that is ${outcome.kind}`);
      else if (side !== "forward" || index >= effects.length) this.#add(state.place, "was not asked for");
    }
    this.#effects.delete(offset);
  }

  /** @param head the last offset that is decided; what comes later may have been decided since. */
  end(head: Offset, start: Offset): void {
    for (const [offset, places] of this.#effects)
      if (offset >= start && offset <= head)
        for (const { place } of places.values()) this.#add(place, "belongs to no record of the intents log");
  }

  #match(state: EffectState | undefined, { arguments: bytes }: Effect): void {
    this.counts.asked += 1;
    this.counts.standing[state?.standing ?? "pending"] += 1;
    if (state === undefined) return;
    const digest: Digest = this.#hash(bytes);
    if (state.digests.some((other) => other !== digest))
      this.#add(state.place, "was called for with other arguments than its intent gave: it has two keys");
  }

  #add(place: EffectPlace, fault: string): void {
    const name = `effect ${place.index} of ${place.offset}${place.side === "undo" ? " (its inverse)" : ""}`;
    this.#objections.add("audit:effect", this.#partition, place.offset, `${name} ${fault}`);
  }
}

function nameOf({ index, side }: Pick<EffectPlace, "index" | "side">): string {
  return `${index} ${side}`;
}
