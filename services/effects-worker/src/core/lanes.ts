import type { Digest, Offset } from "@seriatim/protocol";

/** A deferred effect that is still to be done. */
export interface Place {
  readonly offset: Offset;
  readonly index: number;
  readonly lane: string;
  /** Of its arguments. */
  readonly digest: Digest;
}

interface Entry extends Place {
  /** This worker has called it, and its report is on its way. */
  isAssumedDone: boolean;
}

/**
 * The open effects of a partition, and which of them may be called: the first of its lane in log order that is also the
 * first of its intent in the order issued. An effect that is done is closed, as is one that is a dead letter or dropped;
 * one that is unknown stays open, and so holds its lane.
 */
export class Lanes {
  readonly #lanes = new Map<string, Line>();
  readonly #intents = new Map<Offset, Line>();

  /** Whether it was not there. */
  add(place: Place): boolean {
    const entry: Entry = { ...place, isAssumedDone: false };
    return lineOf(this.#lanes, place.lane).add(entry) && lineOf(this.#intents, place.offset).add(entry);
  }

  /** The effect is done, dead or dropped. Whether it was there. */
  close(place: Place): boolean {
    return remove(this.#lanes, place.lane, place) && remove(this.#intents, place.offset, place);
  }

  /** For {@link mayClaim}: takes the effect to be done, ahead of the log. */
  assumeDone(place: Place): void {
    const entry = this.#lanes.get(place.lane)?.find(place);
    if (entry !== undefined) entry.isAssumedDone = true;
  }

  /** Whether all that must be done before it is done by the log. */
  mayCall(place: Place): boolean {
    return isAt(this.#lanes.get(place.lane)?.first, place) && isAt(this.#intents.get(place.offset)?.first, place);
  }

  /** The same with what this worker has done: a claim may go into the log right after the report that it waits for. */
  mayClaim(place: Place): boolean {
    return isAt(this.#lanes.get(place.lane)?.next, place) && isAt(this.#intents.get(place.offset)?.next, place);
  }

  /** The effects that may be claimed next where `place` was in the way. */
  *behind(place: Place): Iterable<Place> {
    for (const line of [this.#lanes.get(place.lane), this.#intents.get(place.offset)]) {
      const next = line?.next;
      if (next !== undefined && this.mayClaim(next)) yield next;
    }
  }

  /** All that may be claimed. */
  *heads(): Iterable<Place> {
    for (const { next } of this.#lanes.values()) if (next !== undefined && this.mayClaim(next)) yield next;
  }
}

function lineOf<K>(lines: Map<K, Line>, name: K): Line {
  const found = lines.get(name) ?? new Line();
  lines.set(name, found);
  return found;
}

function remove<K>(lines: Map<K, Line>, name: K, place: Place): boolean {
  const line = lines.get(name);
  const wasThere = line?.remove(place) === true;
  if (line?.first === undefined) lines.delete(name);
  return wasThere;
}

function isAt(entry: Place | undefined, { offset, index }: Place): boolean {
  return entry?.offset === offset && entry.index === index;
}

/** After so many have left at the front, the array that they left is cut. */
const cutAfter = 1024;

/** Entries in log order. Most come at the end and leave at the front. */
class Line {
  #entries: Entry[] = [];
  #start = 0;

  get first(): Entry | undefined {
    return this.#entries[this.#start];
  }

  /** The first that is not taken to be done. */
  get next(): Entry | undefined {
    let at = this.#start;
    while (this.#entries[at]?.isAssumedDone === true) at += 1;
    return this.#entries[at];
  }

  find(place: Place): Entry | undefined {
    const entry = this.#entries[this.#search(place)];
    return isAt(entry, place) ? entry : undefined;
  }

  /** False when it was there. */
  add(entry: Entry): boolean {
    const at = this.#search(entry);
    if (isAt(this.#entries[at], entry)) return false;
    this.#entries.splice(at, 0, entry);
    return true;
  }

  /** Whether it was there. */
  remove(place: Place): boolean {
    const at = this.#search(place);
    if (!isAt(this.#entries[at], place)) return false;
    if (at > this.#start) this.#entries.splice(at, 1);
    else this.#start += 1;
    if (this.#start >= cutAfter && this.#start * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
    return true;
  }

  /** The index of the first entry at or after `place`. */
  #search(place: Place): number {
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const entry = this.#entries[middle];
      if (entry !== undefined && isBefore(entry, place)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(entry: Place, { offset, index }: Place): boolean {
  return entry.offset < offset || (entry.offset === offset && entry.index < index);
}
