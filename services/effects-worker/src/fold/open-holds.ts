import type { Offset } from "@seriatim/protocol";
import { keyOf, type EffectId } from "../store/row.ts";

/** The holds of a partition whose intents are still to be decided. */
export class OpenHolds {
  /** In log order, in which they are added. */
  readonly #holds = new Map<string, EffectId>();
  readonly #byIntent = new Map<string, Map<string, EffectId>>();

  add({ partition, offset, index, side, digest }: EffectId, intent: string): void {
    const hold = { partition, offset, index, side, digest };
    const key = keyOf(hold);
    if (this.#holds.has(key)) return;
    this.#holds.set(key, hold);
    const ofIntent = this.#byIntent.get(intent) ?? new Map<string, EffectId>();
    this.#byIntent.set(intent, ofIntent.set(key, hold));
  }

  close(hold: EffectId, intent: string): void {
    const key = keyOf(hold);
    if (!this.#holds.delete(key)) return;
    const ofIntent = this.#byIntent.get(intent);
    ofIntent?.delete(key);
    if (ofIntent?.size === 0) this.#byIntent.delete(intent);
  }

  all(): EffectId[] {
    return [...this.#holds.values()];
  }

  of(intent: string): EffectId[] {
    return [...(this.#byIntent.get(intent)?.values() ?? [])];
  }

  /** Those at or before an offset. */
  upTo(offset: Offset): EffectId[] {
    const found: EffectId[] = [];
    for (const hold of this.#holds.values()) {
      if (hold.offset > offset) break;
      found.push(hold);
    }
    return found;
  }
}
