import type { Key, KeyRange, Offset, Outcome } from "@seriatim/protocol";

interface PastWrite {
  readonly key: Key;
  readonly offset: Offset;
}

/** Every write of the window, one after another, and who wrote each key last. */
export class Past {
  readonly #window: number;
  readonly #last = new Map<Key, Offset>();
  #writes: PastWrite[] = [];
  #oldest = 0;

  constructor(window: number) {
    this.#window = window;
  }

  note(offset: Offset, outcome: Outcome): void {
    if (outcome.kind !== "committed") return;
    for (const { key } of outcome.writes) {
      this.#writes.push({ key, offset });
      this.#last.set(key, offset);
    }
    this.#forget(offset - this.#window);
  }

  /** Where the key was last written; -1 when never, or longer ago than the window. */
  lastWrite(key: Key): Offset {
    return this.#last.get(key) ?? -1;
  }

  /** Keys in `range` written above `after`, in byte order. */
  writtenIn({ from, to }: KeyRange, after: Offset): Key[] {
    const found = new Set<Key>();
    for (let at = this.#writes.length - 1; at >= this.#oldest; at -= 1) {
      const write = this.#writes[at];
      if (write === undefined || write.offset <= after) break;
      if (write.key >= from && write.key < to) found.add(write.key);
    }
    return [...found].toSorted((a, b) => (a < b ? -1 : 1));
  }

  #forget(horizon: Offset): void {
    for (let write = this.#writes[this.#oldest]; write !== undefined && write.offset <= horizon;) {
      if (this.#last.get(write.key) === write.offset) this.#last.delete(write.key);
      this.#oldest += 1;
      write = this.#writes[this.#oldest];
    }
    if (this.#oldest * 2 < this.#writes.length || this.#oldest < 1024) return;
    this.#writes = this.#writes.slice(this.#oldest);
    this.#oldest = 0;
  }
}
