/*
 * What stood at each offset, from the verdicts alone and by the plainest means: keys and bounds are hexadecimal texts of
 * their bytes, of which the order is that of the bytes. Shares only the contract's types and codec with what it judges.
 */
import type { Range } from "@seriatim/client";
import type { Bytes, RecordCodec, Submit, Verdict } from "@seriatim/protocol";

/** Half-open. */
export interface HexRange {
  readonly from: string;
  readonly to: string;
}

export interface Standing {
  readonly version: number;
  readonly isDeleted: boolean;
  readonly value: unknown;
}

/** The value of what no JSON text stands in. */
export const unreadable = Symbol("unreadable");

export interface CommittedIntent {
  readonly offset: number;
  readonly intent: Submit;
}

export interface Records {
  readonly intents: readonly { readonly offset: number; readonly value: Uint8Array }[];
  readonly verdicts: readonly { readonly value: Uint8Array }[];
}

export class History {
  readonly commits: CommittedIntent[] = [];
  /** By offset. */
  readonly times = new Map<number, number>();
  readonly #writes = new Map<string, readonly Standing[]>();
  readonly #keys: readonly string[];

  /** @param before what the records follow on. */
  constructor(codec: RecordCodec, { intents, verdicts }: Records, before?: History) {
    if (before !== undefined) {
      for (const [offset, time] of before.times) this.times.set(offset, time);
      for (const [key, writes] of before.#writes) this.#writes.set(key, writes);
    }
    const bytes = new Map(intents.map(({ offset, value }) => [offset, value]));
    for (const { value } of verdicts) this.#add(codec, bytes, codec.decodeVerdict(value));
    this.#keys = [...this.#writes.keys()].toSorted();
  }

  /** The last write to the key up to the offset, unless that deleted it. */
  at(key: string, offset: number): Standing | undefined {
    const last = this.#writes.get(key)?.findLast(({ version }) => version <= offset);
    return last?.isDeleted === true ? undefined : last;
  }

  /** What stood in the range, in order. */
  within(range: HexRange, offset: number): [key: string, standing: Standing][] {
    return this.#keysIn(range).flatMap((key) => {
      const standing = this.at(key, offset);
      return standing === undefined ? [] : [[key, standing] as [string, Standing]];
    });
  }

  /** Whether the key was written above `after` and below `before`. */
  isWritten(key: string, after: number, before: number): boolean {
    return this.#writes.get(key)?.some(({ version }) => version > after && version < before) === true;
  }

  /** The first key of the range that was. */
  writtenIn(range: HexRange, after: number, before: number): string | undefined {
    return this.#keysIn(range).find((key) => this.isWritten(key, after, before));
  }

  #keysIn({ from, to }: HexRange): readonly string[] {
    return this.#keys.slice(this.#placeOf(from), this.#placeOf(to));
  }

  /** How many keys are below it. */
  #placeOf(bound: string): number {
    let [low, high] = [0, this.#keys.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#keys[middle] ?? "") < bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #add(codec: RecordCodec, bytes: ReadonlyMap<number, Uint8Array>, verdict: Verdict | undefined): void {
    if (verdict === undefined) throw new Error("a verdict that cannot be read");
    const { offset, outcome, time } = verdict;
    this.times.set(offset, time);
    if (outcome.kind !== "committed") return;
    for (const { key, value } of outcome.writes) {
      const hex = hexOfBytes(key);
      const standing = { version: offset, isDeleted: value === null, value: decoded(value) };
      this.#writes.set(hex, [...(this.#writes.get(hex) ?? []), standing]);
    }
    const intent = codec.decodeIntent(bytes.get(offset) ?? Buffer.alloc(0));
    if (intent.kind !== "submit") throw new Error(`no submit at ${offset}, which committed`);
    this.commits.push({ offset, intent });
  }
}

export function hexOf(text: string): string {
  return Buffer.from(text, "utf8").toString("hex");
}

export function hexOfBytes(bytes: Bytes): string {
  return Buffer.from(bytes, "latin1").toString("hex");
}

/** No digit stands above "f", so that "g" ends what begins with a prefix. */
export function hexRangeOf(range: Range): HexRange {
  if (!("prefix" in range)) return { from: hexOf(range.from), to: hexOf(range.to) };
  const from = hexOf(range.prefix);
  return { from, to: from === "" ? "ff" : `${from}g` };
}

export function decoded(value: Uint8Array | null): unknown {
  if (value === null) return null;
  try {
    return JSON.parse(Buffer.from(value).toString("utf8"));
  } catch {
    return unreadable;
  }
}

export function textOf(hex: string): string {
  return Buffer.from(hex, "hex").toString("utf8");
}
