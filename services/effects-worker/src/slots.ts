/** How many calls a worker makes at once; who finds no room is told when there is some, first come, first served. */
export class Slots {
  readonly #limit: number;
  readonly #waiting = new Map<string, () => void>();
  #used = 0;
  #isWaking = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Whether there was room; otherwise `retry` is called, once, when there is. */
  take(who: string, retry: () => void): boolean {
    if (this.#used < this.#limit) {
      this.#waiting.delete(who);
      this.#used += 1;
      return true;
    }
    if (!this.#waiting.has(who)) this.#waiting.set(who, retry);
    return false;
  }

  release(): void {
    this.#used -= 1;
    this.#wake();
  }

  /** One after another: whoever is told may have no use for it any more, and then it is the next one's. */
  #wake(): void {
    const [first] = this.#waiting;
    if (this.#isWaking || first === undefined || this.#used >= this.#limit) return;
    const [who, retry] = first;
    this.#waiting.delete(who);
    retry();
    this.#isWaking = true;
    setImmediate(() => {
      this.#isWaking = false;
      this.#wake();
    });
  }
}
