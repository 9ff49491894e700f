/** Who comes before whom, with all that follows from it: one bit a pair. Can be taken back to an earlier mark. */
export class Closure {
  readonly #size: number;
  readonly #words: number;
  /** Row `a` has bit `b` when `a` comes before `b`. */
  readonly #rows: Int32Array;
  readonly #trail: { readonly row: number; readonly words: Int32Array }[] = [];
  #marks = 0;
  /** Words changed so far. */
  work = 0;

  constructor(size: number) {
    this.#size = size;
    this.#words = (size + 31) >>> 5;
    this.#rows = new Int32Array(size * this.#words);
  }

  precedes(a: number, b: number): boolean {
    return (((this.#rows[a * this.#words + (b >>> 5)] ?? 0) >>> (b & 31)) & 1) === 1;
  }

  /** Puts `a` before `b`. Returns false, and changes nothing, when `b` comes before `a` or is it. */
  add(a: number, b: number): boolean {
    if (a === b || this.precedes(b, a)) return false;
    if (this.precedes(a, b)) return true;
    for (let row = 0; row < this.#size; row += 1) if (row === a || this.precedes(row, a)) this.#join(row, b);
    return true;
  }

  /** The place of each in an order that has all that is known: what follows on others comes as soon as they allow. */
  places(): Int32Array {
    const left = new Int32Array(this.#size);
    for (let a = 0; a < this.#size; a += 1)
      for (let b = 0; b < this.#size; b += 1) if (this.precedes(a, b)) left[b] = (left[b] ?? 0) + 1;
    const firsts = Array.from(left.keys()).filter((point) => left[point] === 0);
    const places = new Int32Array(this.#size);
    let next = 0;
    for (const first of firsts) {
      const ready = [first];
      for (const point of ready) {
        places[point] = next;
        next += 1;
        for (let b = 0; b < this.#size; b += 1) {
          if (!this.precedes(point, b)) continue;
          left[b] = (left[b] ?? 0) - 1;
          if (left[b] === 0) ready.push(b);
        }
      }
    }
    return places;
  }

  mark(): number {
    this.#marks += 1;
    return this.#trail.length;
  }

  undo(mark: number): void {
    this.#marks -= 1;
    for (let entry = this.#trail.length; entry > mark; entry -= 1) {
      const saved = this.#trail.pop();
      if (saved !== undefined) this.#rows.set(saved.words, saved.row * this.#words);
    }
  }

  #join(row: number, b: number): void {
    if (this.precedes(row, b)) return;
    const start = row * this.#words;
    if (this.#marks > 0) this.#trail.push({ row, words: this.#rows.slice(start, start + this.#words) });
    const from = b * this.#words;
    const rows = this.#rows;
    for (let word = 0; word < this.#words; word += 1)
      rows[start + word] = (rows[start + word] ?? 0) | (rows[from + word] ?? 0);
    rows[start + (b >>> 5)] = (rows[start + (b >>> 5)] ?? 0) | (1 << (b & 31));
    this.work += this.#words;
  }
}
