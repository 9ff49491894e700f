import type { Log } from "@seriatim/log";
import { Defect, Failure, type Verdict } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { flippedView } from "./flipped-view.ts";
import { pick } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import { SequencerMember } from "./sequencer-member.ts";
import { partitions } from "./world.ts";

/**
 * A sequencer with a bit of its state flipped. Where it is wrong, a sound one's verdict comes to the log before its own:
 * what comes first is the history, and whoever comes second can be found out.
 */
export class DivergedMember extends SequencerMember {
  hasStopped = false;
  readonly #others: readonly SequencerMember[];

  constructor(others: readonly SequencerMember[], ...parts: ConstructorParameters<typeof SequencerMember>) {
    super(...parts);
    this.#others = others;
  }

  /** It begins where a sound one has come to. */
  override async live(): Promise<void> {
    await this.world.clock.sleep(this.random.below(3_000));
    await super.live();
  }

  protected override image(): Uint8Array {
    const other = this.#others.find(({ life }) => life?.file.isOpen === true);
    return other?.life?.file.database.serialize() ?? super.image();
  }

  protected override viewOf(view: View): View {
    const flipped = flippedView(view, pick(this.random, partitions), this.random);
    if (flipped !== undefined) this.world.note("flippedBit");
    return flipped ?? view;
  }

  protected override ended(error: unknown): void {
    if (!(error instanceof Defect)) return super.ended(error);
    this.hasStopped = true;
    this.world.note("divergedStopped");
    this.end();
  }

  protected override verdictsOf(process: SimulatedProcess): Log {
    const { codec, writtenVerdicts } = this.world;
    return {
      ...super.verdictsOf(process),
      append: async (partition, records) => {
        await process.running();
        const verdicts = records.flatMap(({ value }) => codec.decodeVerdict(value) ?? []);
        while (!this.#isSecond(partition, verdicts)) await this.#wait(process);
        // What it has asked for by now happens, also when it has stopped meanwhile.
        return writtenVerdicts.append(partition, records);
      },
    };
  }

  /** Whether a sound one has answered all of these records, or one of which these verdicts are wrong. */
  #isSecond(partition: number, verdicts: readonly Verdict[]): boolean {
    return this.#others.some((other) => {
      const { offset, chain } = other.headOf(partition);
      if (verdicts.every((verdict) => verdict.offset <= offset)) return true;
      const own = verdicts.find((verdict) => verdict.offset === offset) ?? verdicts[0]?.predecessor;
      return own?.offset === offset && own.chain !== chain;
    });
  }

  async #wait(process: SimulatedProcess): Promise<void> {
    if (process.isDead && this.world.isCalm) throw new Failure("closed", "the process was killed");
    await this.world.clock.sleep(20);
  }
}
