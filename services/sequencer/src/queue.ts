/** After so many have left, the array that they left is cut. */
const cutAfter = 1024;

/** First in, first out, with a look at any place in it. Taking the first takes constant time, on the average. */
export class Queue<T> {
  #items: T[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  get first(): T | undefined {
    return this.#items[this.#start];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const { first } = this;
    if (this.length === 0) return undefined;
    this.#start += 1;
    if (this.#start >= cutAfter && this.#start * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return first;
  }

  slice(from: number, to: number): T[] {
    return this.#items.slice(this.#start + from, this.#start + to);
  }
}
