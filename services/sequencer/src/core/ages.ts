import { assert } from "@seriatim/protocol";
import type { Offset } from "@seriatim/protocol";
import { at } from "./indexed.ts";

interface Chunk<Name, Note> {
  readonly names: Name[];
  readonly offsets: Offset[];
  readonly notes: Note[];
}

const chunkSize = 1024;

/**
 * Names in the order of the offsets at which they were noted, so that those that the window no longer reaches are found
 * at once. Each may carry a note.
 *
 * Rows stand in columns, by chunks: a row costs no object, growing copies nothing, and what is dropped is freed. A
 * row's number holds until it is dropped.
 */
export class Ages<Name extends string, Note = never> {
  readonly #chunks: Chunk<Name, Note>[] = [];
  /** Numbers of the first chunk's first row, the oldest row kept, and the row to come. */
  #base = 0;
  #oldest = 0;
  #next = 0;
  #latest: Offset = -1;

  get size(): number {
    return this.#next - this.#oldest;
  }

  /** Returns the row's number. @param offset not below that of the row before. */
  push(name: Name, offset: Offset, note?: Note): number {
    assert(offset >= this.#latest, "names are noted in the order of their offsets");
    this.#latest = offset;
    if ((this.#next - this.#base) % chunkSize === 0) this.#chunks.push({ names: [], offsets: [], notes: [] });
    const { names, offsets, notes } = at(this.#chunks, this.#chunks.length - 1);
    names.push(name);
    offsets.push(offset);
    if (note !== undefined) notes.push(note);
    return this.#next++;
  }

  offsetOf(row: number): Offset {
    return at(this.#chunkOf(row).offsets, row % chunkSize);
  }

  noteOf(row: number): Note {
    return at(this.#chunkOf(row).notes, row % chunkSize);
  }

  /** Drops the rows at `horizon` and below, telling of each, oldest first, just before it goes. */
  purge(horizon: Offset, dropping: (name: Name, offset: Offset, row: number) => void): void {
    while (this.#oldest < this.#next) {
      const row = this.#oldest;
      const { names, offsets } = this.#chunkOf(row);
      const offset = at(offsets, row % chunkSize);
      if (offset > horizon) return;
      dropping(at(names, row % chunkSize), offset, row);
      this.#oldest += 1;
      if (this.#oldest % chunkSize === 0) this.#freeFirstChunk();
    }
  }

  forEach(see: (name: Name, offset: Offset) => void): void {
    for (let row = this.#oldest; row < this.#next; row += 1)
      see(at(this.#chunkOf(row).names, row % chunkSize), this.offsetOf(row));
  }

  #freeFirstChunk(): void {
    this.#chunks.shift();
    this.#base += chunkSize;
  }

  /** Chunks begin at multiples of their size, so that a row's number says where in its chunk it stands. */
  #chunkOf(row: number): Chunk<Name, Note> {
    return at(this.#chunks, Math.floor((row - this.#base) / chunkSize));
  }
}
