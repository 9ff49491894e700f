import type { Log } from "@seriatim/log";
import { bufferOf } from "@seriatim/protocol";
import type { PartitionStatus, Role, Sequencer } from "@seriatim/sequencer";
import type { View } from "@seriatim/view";

/** How a sequencer stands in a partition, as metrics tell it. */
export interface PartitionLook {
  readonly partition: number;
  readonly role: Role;
  readonly leading: boolean;
  readonly intentsLag: number;
  readonly viewLag: number;
  readonly undecidedSeconds: number;
  /** The offset of the intents record whose verdict was applied last. */
  readonly version: number;
  /** In hex. */
  readonly chain: string;
}

export interface Looked {
  readonly sequencer: Sequencer;
  readonly intents: Log;
  readonly verdicts: Log;
  readonly view: View;
}

/** Looks at a sequencer, and remembers since when each partition has had intents that wait. */
export class Looks {
  /** By the process's clock, in ms. */
  readonly #waitingSince = new Map<number, number>();

  /** @throws Failure `unavailable` when the broker does not say where its logs end. */
  async look(looked: Looked): Promise<PartitionLook[]> {
    return Promise.all(looked.sequencer.status().map((status) => this.#look(looked, status)));
  }

  async #look({ intents, verdicts, view }: Looked, status: PartitionStatus): Promise<PartitionLook> {
    const { partition, role, leading, head } = status;
    const [intentsEnd, verdictsEnd] = await Promise.all([intents.bounds(partition), verdicts.bounds(partition)]);
    const { offset, chain, next } = view.position(partition);
    const intentsLag = Math.max(0, intentsEnd.end - 1 - head.offset);
    return {
      partition,
      role,
      leading,
      intentsLag,
      viewLag: Math.max(0, verdictsEnd.end - next),
      undecidedSeconds: this.#waited(status, intentsLag) / 1000,
      version: offset,
      chain: bufferOf(chain).toString("hex"),
    };
  }

  /**
   * For how long the oldest undecided record has waited, in ms: since log time where it was read, else since a look
   * first found one. Log time is the broker's clock, so that it is never told to be longer than that.
   */
  #waited({ partition, pendingSince }: PartitionStatus, lag: number): number {
    if (lag === 0) {
      this.#waitingSince.delete(partition);
      return 0;
    }
    const found = this.#waitingSince.get(partition) ?? performance.now();
    this.#waitingSince.set(partition, found);
    const known = pendingSince === undefined ? 0 : Date.now() - pendingSince;
    return Math.max(0, known, performance.now() - found);
  }
}
