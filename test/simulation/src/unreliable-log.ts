import type { Batch, Bounds, Log, NewRecord } from "@seriatim/log";
import type { World } from "./world.ts";

/** The verdicts log of a broker that says it has what it has not, and holds what no sequencer of the space has sent. */
export class UnreliableLog implements Log {
  readonly name = "verdicts";
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get partitions(): number {
    return this.#world.verdicts.partitions;
  }

  async append(partition: number, records: readonly NewRecord[]): Promise<number> {
    const { verdicts, random } = this.#world;
    if (this.#world.happens("verdictsForeign")) await verdicts.append(partition, [{ value: this.#foreign(records) }]);
    if (!this.#world.happens("verdictsLost")) return verdicts.append(partition, records);
    const kept = records.filter(() => random.chance(0.5));
    return verdicts.append(partition, kept.length < records.length ? kept : records.slice(1));
  }

  read(from: ReadonlyMap<number, number>, options: { readonly signal: AbortSignal }): AsyncIterable<Batch> {
    return this.#world.verdicts.read(from, options);
  }

  bounds(partition: number): Promise<Bounds> {
    return this.#world.verdicts.bounds(partition);
  }

  async close(): Promise<void> {}

  /** A verdict of another space, or one of this space that is torn or damaged. */
  #foreign(records: readonly NewRecord[]): Uint8Array {
    const { random, codec } = this.#world;
    const like = records[random.below(records.length)]?.value ?? new Uint8Array();
    const verdict = codec.decodeVerdict(like);
    if (verdict !== undefined && random.chance(0.5))
      return codec.encodeVerdict({ ...verdict, space: sameLength(verdict.space) }).bytes;
    if (random.chance(0.5)) return like.slice(0, random.below(like.length));
    const damaged = Uint8Array.from(like);
    const at = random.below(damaged.length);
    damaged[at] = (damaged[at] ?? 0) ^ (1 << random.below(8));
    return damaged;
  }
}

function sameLength<T extends string>(text: T): T {
  return "x".repeat(text.length) as T;
}
