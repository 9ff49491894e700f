import type { Offset } from "@seriatim/protocol";
import type { IntentItem } from "../space/items.ts";

/** More than this wait for a verdict only where one is missing for good; the rest are then only counted. */
const mostKept = 100_000;

/** Intents records whose verdict has not been read yet, in order. */
export class PendingIntents {
  #kept: IntentItem[] = [];
  #at = 0;
  #uncounted = 0;

  get size(): number {
    return this.#kept.length - this.#at + this.#uncounted;
  }

  get first(): IntentItem | undefined {
    return this.#kept[this.#at];
  }

  add(item: IntentItem): void {
    if (this.#kept.length - this.#at >= mostKept) this.#uncounted += 1;
    else this.#kept.push(item);
  }

  /** Takes out all below `offset`, and names their offsets. */
  *takeBelow(offset: Offset): Generator<Offset> {
    for (let next = this.first; next !== undefined && next.offset < offset; next = this.first) {
      this.#drop();
      yield next.offset;
    }
  }

  take(offset: Offset): IntentItem | undefined {
    const { first } = this;
    if (first?.offset !== offset) return undefined;
    this.#drop();
    return first;
  }

  #drop(): void {
    this.#at += 1;
    if (this.#at < 1024 || this.#at * 2 < this.#kept.length) return;
    this.#kept = this.#kept.slice(this.#at);
    this.#at = 0;
  }
}
