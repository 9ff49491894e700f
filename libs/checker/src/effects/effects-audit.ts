import type { Digest, Effect, EffectPlace, EffectRecord, Hash, Offset, Outcome } from "@seriatim/protocol";
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
  /** Of holds, the inverses that were called, until it is known what became of their intents. */
  readonly #undone = new Map<Offset, EffectState>();

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
    if (outcome?.kind === "held") return this.#takeHold(offset, outcome);
    if (outcome?.kind === "committed") for (const hold of outcome.holds) this.#confirm(hold, offset);
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

  /** A hold has a call, and an inverse if it names one. */
  #takeHold(offset: Offset, { arguments: bytes, undo }: Extract<Outcome, { readonly kind: "held" }>): void {
    const digest = this.#hash(bytes);
    for (const state of this.#effects.get(offset)?.values() ?? []) {
      this.#compare(state, digest);
      if (state.place.side === "forward") continue;
      if (undo === null) this.#add(state.place, "was called, and its hold names no inverse");
      else if (state.left !== null) this.#undone.set(offset, state);
    }
    this.#effects.delete(offset);
  }

  /** A hold that a commit confirms stays done. */
  #confirm(hold: Offset, offset: Offset): void {
    const undone = this.#undone.get(hold);
    if (undone !== undefined) this.#add(undone.place, `was called, though the commit at ${offset} confirms its hold`);
    this.#undone.delete(hold);
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
    if (state !== undefined) this.#compare(state, this.#hash(bytes));
  }

  #compare(state: EffectState, digest: Digest): void {
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
