import type { Offset } from "@seriatim/protocol";
import type { Span } from "../../history.ts";

/**
 * The parts of a partition that can be in a cycle. In log order every overwrite and every read of what stands before
 * leads forward; a cycle needs a dependency that leads back, and lies within the offsets between such ones' ends,
 * where these overlap taken together.
 */
export class Spans {
  readonly #from: Offset[] = [];
  readonly #to: Offset[] = [];

  /** Spans are added by rising `to`, or nearly so. */
  add(from: Offset, to: Offset): void {
    let [low, high] = [from, to];
    for (let last = this.#to.at(-1); last !== undefined && last >= low; last = this.#to.at(-1)) {
      low = Math.min(low, this.#from.pop() ?? low);
      high = Math.max(high, this.#to.pop() ?? high);
    }
    this.#from.push(low);
    this.#to.push(high);
  }

  of(partition: number): Span[] {
    return this.#from.map((from, at) => ({ partition, from, to: this.#to[at] ?? from }));
  }
}

/** Spans that stand closer together than this are read in one go: to find a place costs more than to read past it. */
const nearby = 1000;

/** The same and what is between those that are near each other, for reading. */
export function coarse(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last?.partition === span.partition && span.from - last.to < nearby)
      joined[joined.length - 1] = { ...last, to: Math.max(last.to, span.to) };
    else joined.push(span);
  }
  return joined;
}
