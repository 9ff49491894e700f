import { assert, beforeGenesis } from "@seriatim/protocol";
import type { Key, KeyRange, Offset } from "@seriatim/protocol";
import { Claims } from "./claims.ts";
import { Holds } from "./holds.ts";
import type { Claim, Head, HeldEffect, KeyVersion, State } from "./state.ts";
import { KeyTree } from "./tree.ts";

/** A claim with the id that it is of. */
export interface ClaimOfId extends Claim {
  readonly id: string;
}

/** A hold with the id that it is of. */
export interface HoldOfId extends HeldEffect {
  readonly id: string;
}

/** What a state is filled with at the start: all writes, claims and holds of the last `window` offsets, older ones or not. */
export interface Restored {
  readonly head: Head;
  /** Writes and deletes in order of version: of each key the last one, or more. */
  readonly writes: Iterable<KeyVersion>;
  /** In order of offset. */
  readonly claims: Iterable<ClaimOfId>;
  /** In order of offset. */
  readonly holds: Iterable<HoldOfId>;
}

/**
 * The state of one partition in memory, bounded by the window (invariant 7): about one entry for each write, claimed id
 * and hold of the last `window` offsets. Only evolve.ts changes it.
 */
export class MemoryState implements State {
  readonly window: number;
  #head: Head = { position: beforeGenesis, time: 0 };
  readonly #writes = new KeyTree();
  readonly #claims = new Claims();
  readonly #holds = new Holds();

  constructor(window: number) {
    this.window = window;
  }

  get head(): Head {
    return this.#head;
  }

  lastWrite(key: Key): Offset {
    return this.#writes.versionOf(key);
  }

  newestIn(range: KeyRange, after: Offset, limit: number): readonly KeyVersion[] {
    return this.#writes.newestIn(range, after, limit);
  }

  claim(id: string): Claim | undefined {
    return this.#claims.get(id);
  }

  holds(id: string): readonly HeldEffect[] {
    return this.#holds.of(id);
  }

  /** @param version not below any noted before. */
  noteWrite(key: Key, version: Offset): void {
    this.#writes.set(key, version);
  }

  /** @param claim not older than any noted before. */
  noteClaim(id: string, claim: Claim): void {
    this.#claims.set(id, claim);
  }

  /** @param hold not older than any noted before. */
  noteHold(id: string, hold: HeldEffect): void {
    this.#holds.add(id, hold);
  }

  /** Forgets what no record after `head` can see. */
  moveTo(head: Head): void {
    assert(head.position.offset > this.#head.position.offset, "the head only moves on");
    assert(head.time >= this.#head.time, "log time does not step back");
    this.#head = head;
    const horizon = head.position.offset - this.window;
    this.#writes.purge(horizon);
    this.#claims.purge(horizon);
    this.#holds.purge(horizon);
  }

  /** How much it remembers. */
  get size(): { readonly keys: number; readonly ids: number; readonly holds: number } {
    return { keys: this.#writes.size, ids: this.#claims.size, holds: this.#holds.size };
  }

  /** Checks the memory tree, the claims and the holds, in linear time. @throws Defect naming what does not hold. */
  audit(): void {
    this.#writes.audit();
    this.#claims.audit();
    this.#holds.audit();
  }
}

/** The state before the genesis. @param window the genesis' limit of that name. */
export function initialState(window: number): MemoryState {
  return new MemoryState(window);
}

/** The state at `restored.head`, as if all verdicts up to it had been applied. */
export function restoredState(window: number, restored: Restored): MemoryState {
  const state = new MemoryState(window);
  for (const { key, version } of restored.writes) state.noteWrite(key, version);
  for (const { id, ...claim } of restored.claims) state.noteClaim(id, claim);
  for (const { id, ...hold } of restored.holds) state.noteHold(id, hold);
  if (restored.head.position.offset !== beforeGenesis.offset) state.moveTo(restored.head);
  return state;
}
