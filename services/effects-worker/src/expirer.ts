import { isFailure, type RecordCodec } from "@seriatim/protocol";
import type { PartitionFold } from "./fold/partition-fold.ts";
import { keyOf, type EffectId, type Row } from "./store/row.ts";
import { Notices } from "./notices.ts";
import type { Timing } from "./timing.ts";

/** So that of several workers one is first, and the others see it; in ms. */
const spread = 200;

/**
 * After how long it is tried again, in ms, and after twice as long each time: the log's clock may be behind ours, an append
 * may be lost, and nobody may be there to decide.
 */
const again = { first: 500, longest: 60_000 } as const;

export interface ExpirerOptions {
  readonly codec: RecordCodec;
  readonly partition: number;
  readonly fold: PartitionFold;
  readonly timing: Timing;
  /** Appends to the intents log. */
  readonly append: (partition: number, record: Uint8Array) => Promise<unknown>;
}

/**
 * Closes the intents of holds whose lease has run out, so that what their agents left is undone. The log says whether it
 * has: an expire that comes too early is refused, and changes nothing.
 */
export class Expirer {
  readonly #options: ExpirerOptions;
  readonly #notices: Notices;
  #isBegun = false;

  constructor(options: ExpirerOptions) {
    this.#options = options;
    this.#notices = new Notices(options.timing);
  }

  begin(): void {
    this.#isBegun = true;
    const { fold } = this.#options;
    for (const hold of fold.holds) this.#watch(fold.get(hold));
  }

  changed(row: Row): void {
    if (!this.#isBegun || row.definition?.kind !== "hold") return;
    if (row.definition.isOpen) this.#watch(row);
    else this.#notices.forget(keyOf(row));
  }

  stop(): void {
    this.#isBegun = false;
    this.#notices.end();
  }

  /** The lease has surely run out after as long again as it was given for; by the clock of this machine perhaps before. */
  #watch(row: Row): void {
    if (row.definition?.kind !== "hold") return;
    const { timing } = this.#options;
    const { deadline, time } = row.definition;
    const left = Math.max(0, Math.min(deadline - time, deadline - timing.wallTime()));
    this.#lookAfter(row, left + timing.random() * spread, again.first);
  }

  #lookAfter(hold: EffectId, ms: number, pause: number): void {
    const { timing } = this.#options;
    this.#notices.lookAt(keyOf(hold), timing.now() + ms, () => void this.#expire(hold, pause));
  }

  /** Never rejects. */
  async #expire(hold: EffectId, pause: number): Promise<void> {
    const { codec, partition, fold, append } = this.#options;
    const { definition } = fold.get(hold);
    if (!this.#isBegun || definition?.kind !== "hold" || !definition.isOpen) return;
    const record = codec.encodeIntent({
      kind: "expire",
      space: codec.genesis.space,
      partition,
      id: definition.intent,
      agent: "effects-worker",
      snapshot: hold.offset - 1,
      hold: hold.offset,
    });
    try {
      await append(partition, record);
    } catch (error) {
      if (!isFailure(error)) throw error;
    }
    if (this.#isBegun) this.#lookAfter(hold, pause, Math.min(2 * pause, again.longest));
  }
}
