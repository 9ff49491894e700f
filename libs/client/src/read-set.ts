import { Failure, inRange } from "@seriatim/protocol";
import type { Key, KeyRange, Limits, Offset, Point } from "@seriatim/protocol";

/**
 * What a transaction has read, as its intent will say it. Ranges are kept apart from each other: those that overlap or
 * touch become one. Points inside of ranges are kept too, for as long as there is room: they say which version was read.
 */
export class ReadSet {
  readonly #limits: Limits;
  readonly #points = new Map<Key, Offset | null>();
  #ranges: KeyRange[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get points(): Point[] {
    return Array.from(this.#points, ([key, version]) => ({ key, version }));
  }

  get ranges(): readonly KeyRange[] {
    return this.#ranges;
  }

  get isEmpty(): boolean {
    return this.#points.size === 0 && this.#ranges.length === 0;
  }

  hasPoint(key: Key): boolean {
    return this.#points.has(key);
  }

  covers(key: Key): boolean {
    return this.hasPoint(key) || this.#coversInRange(key);
  }

  /** A key read again at level none may show another version; the last one seen counts. */
  addPoint(key: Key, version: Offset | null): void {
    if (!this.#points.has(key) && this.#points.size >= this.#limits.points) {
      if (this.#coversInRange(key)) return;
      this.#dropCoveredPoints();
      if (this.#points.size >= this.#limits.points) throw tooManyPoints(this.#limits.points);
    }
    this.#points.set(key, version);
  }

  addRange(range: KeyRange): void {
    const apart: KeyRange[] = [];
    let { from, to } = range;
    for (const other of this.#ranges) {
      if (other.to < from || other.from > to) apart.push(other);
      else {
        if (other.from < from) from = other.from;
        if (other.to > to) to = other.to;
      }
    }
    if (apart.length >= this.#limits.ranges) throw tooManyRanges(this.#limits.ranges);
    // In the order of their keys, so that the same reads make the same bytes.
    const at = apart.findIndex((other) => other.from > from);
    this.#ranges = apart.toSpliced(at < 0 ? apart.length : at, 0, { from, to });
  }

  #coversInRange(key: Key): boolean {
    return this.#ranges.some((range) => inRange(key, range));
  }

  #dropCoveredPoints(): void {
    for (const key of this.#points.keys()) if (this.#coversInRange(key)) this.#points.delete(key);
  }
}

function tooManyPoints(limit: number): Failure {
  return new Failure(
    "invalid_argument",
    `this transaction has read ${limit} keys one by one, which is the limit of this space (points); ` +
      "read keys that stand together as one range with scan or count, or split the work over several transactions",
  );
}

function tooManyRanges(limit: number): Failure {
  return new Failure(
    "invalid_argument",
    `this transaction has read ${limit} ranges apart from each other, which is the limit of this space (ranges); ` +
      "read one wider range, or split the work over several transactions",
  );
}
