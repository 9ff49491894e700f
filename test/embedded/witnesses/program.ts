import type { Random } from "@seriatim/log";
import { anyKey, bulkKey, hotKey, rangeToCount, someKeys, someOptions, someRange } from "./choices.ts";
import type { Witness } from "./testimony.ts";

/** What is done by one after another in one lane: what chance decides, and how time goes by. */
export interface Stage {
  readonly random: Random;
  /** For a moment, in which others go on. */
  readonly pause: () => Promise<void>;
  /** Until another lane of the same coordinator is about to commit, or has not been for some time. */
  readonly untilCommit: () => Promise<void>;
}

/** Thrown by a function on purpose. */
export class Interruption extends Error {}

/** What one call of a transaction's function does. */
export class Program {
  readonly #witness: Witness;
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #wanted = new Set<string>();

  constructor(witness: Witness, stage: Stage) {
    this.#witness = witness;
    this.#stage = stage;
    this.#random = stage.random;
  }

  async run(): Promise<void> {
    const random = this.#random;
    const beginning = random.below(4);
    if (beginning < 2) await this.#wide();
    else if (beginning === 2) await this.#together(2);
    for (let left = random.below(4); left > 0; left -= 1) await this.#step(2);
    for (const key of this.#wanted)
      if (random.chance(0.8)) {
        this.#witness.put(key, false);
        this.#witness.put(bulkKey(random), true);
      }
    if (random.chance(0.02)) throw new Interruption();
  }

  async #step(depth: number): Promise<void> {
    const kind = this.#random.below(60);
    if (kind < 12 && depth > 0) await this.#together(depth - 1);
    else if (kind < 33) await this.#read();
    else if (kind < 45) this.#write();
    else if (kind < 54) await this.#stage.pause();
    else if (kind < 56) await this.#call();
    else if (kind < 58) this.#witness.tx.signal.throwIfAborted();
    else await this.#askTime();
  }

  /** A range of several pages beside what others want to write too: its turn may come in the midst of it. */
  async #wide(): Promise<void> {
    const random = this.#random;
    const scan = async (): Promise<void> => {
      if (random.chance(0.9)) await this.#stage.untilCommit();
      await this.#witness.scan({ prefix: "bulk/" }, { reverse: random.chance(0.4) });
    };
    await Promise.all([this.#want(), scan()]);
  }

  /** Some in a row, some nested, all at once. */
  async #together(depth: number): Promise<void> {
    const branch = async (): Promise<void> => {
      if (this.#random.chance(0.3)) await this.#stage.pause();
      if (this.#random.chance(0.6)) await this.#read();
      else await this.#step(depth);
    };
    await Promise.all(Array.from({ length: 2 + this.#random.below(3) }, branch));
  }

  async #read(): Promise<void> {
    const random = this.#random;
    const kind = random.below(10);
    if (kind < 3) await this.#want();
    else if (kind < 4) await this.#witness.get([anyKey(random)]);
    else if (kind < 5) await this.#witness.get(someKeys(random));
    else if (kind < 8) await this.#witness.scan(someRange(random), someOptions(random));
    else await this.#witness.count(rangeToCount(random));
  }

  async #want(): Promise<void> {
    const key = hotKey(this.#random);
    this.#wanted.add(key);
    await this.#witness.get([key]);
  }

  #write(): void {
    const key = anyKey(this.#random);
    const isBlind = this.#random.chance(0.3);
    if (this.#random.chance(0.4)) this.#witness.delete(key, isBlind);
    else this.#witness.put(key, isBlind);
  }

  /** At level none it would fix the snapshot below what was read before. */
  async #call(): Promise<void> {
    if (this.#witness.testimony.isolation === "none") return;
    await this.#witness.tx.compensable("reserve", null, { undo: "release" });
  }

  async #askTime(): Promise<void> {
    await this.#witness.get([anyKey(this.#random)]);
    this.#witness.askTime();
  }
}
