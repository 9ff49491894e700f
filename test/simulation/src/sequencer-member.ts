import type { Log, NewRecord } from "@seriatim/log";
import { Defect, sha256, type Offset } from "@seriatim/protocol";
import { Sequencer, type Timing } from "@seriatim/sequencer";
import type { View } from "@seriatim/view";
import { Member, type Life } from "./member.ts";
import { flippedView } from "./flipped-view.ts";
import { pick } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import { partitions } from "./world.ts";

/** A sequencer that decides all partitions. */
export class SequencerMember extends Member {
  sequencer: Sequencer | undefined;
  /** The verdicts that it has sent. */
  #sent = new WeakSet<Uint8Array>();

  /** How far it has read verdicts back. */
  headOf(partition: number): Offset {
    return this.sequencer?.status().find((status) => status.partition === partition)?.head.offset ?? -1;
  }

  protected override async work({ process, file, view }: Life): Promise<void> {
    const { intents, codec, plan } = this.world;
    this.#sent = new WeakSet();
    const sequencer = await Sequencer.open({
      intents: process.on(intents),
      verdicts: this.verdictsOf(process),
      view: this.viewOf(view),
      file,
      codec,
      hash: sha256,
      stallAfter: plan.stallAfter,
      name: `${this.name}.${this.lives}`,
      timing: this.#timingOf(process),
    });
    this.sequencer = sequencer;
    await sequencer.run(process.signal);
  }

  /** What it loads its state from. */
  protected viewOf(view: View): View {
    return view;
  }

  protected verdictsOf(process: SimulatedProcess): Log {
    const log = process.on(this.world.writtenVerdicts);
    return {
      ...log,
      append: (partition, records, options) => {
        this.#dieInResend(process, records);
        return log.append(partition, records, options);
      },
    };
  }

  /** Its last append is on its way when it dies, and is cut on it. */
  #dieInResend(process: SimulatedProcess, records: readonly NewRecord[]): void {
    const isResend = records.some(({ value }) => this.#sent.has(value));
    for (const { value } of records) this.#sent.add(value);
    if (!isResend || !this.world.happens("killInResend")) return;
    this.world.verdicts.faults.inject("cut");
    const { clock, plan } = this.world;
    const kill = (): void => {
      if (this.life?.process === process) this.kill();
    };
    clock.schedule(kill, this.random.below(plan.maxDelay));
  }

  #timingOf(process: SimulatedProcess): Timing {
    const { clock } = this.world;
    return {
      now: clock.now,
      random: () => this.random.word() / 2 ** 32,
      sleep: async (ms, signal) => {
        await new Promise<void>((resolve) => {
          const cancel = clock.schedule(() => settle(), ms);
          const settle = (): void => {
            cancel();
            signal.removeEventListener("abort", settle);
            resolve();
          };
          signal.addEventListener("abort", settle);
          if (signal.aborted) settle();
        });
        await process.running();
      },
    };
  }
}

/**
 * A sequencer with a bit of its state flipped. What it sends comes to the log after the sound ones' verdicts: what
 * comes first is the history, and whoever comes second can be found out.
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
    const log = super.verdictsOf(process);
    return {
      ...log,
      append: async (partition, records, options) => {
        const last = this.world.codec.decodeVerdict(records.at(-1)?.value ?? new Uint8Array())?.offset ?? 0;
        const isAnswered = (): boolean => this.#others.some((other) => other.headOf(partition) >= last);
        while (!isAnswered() && !process.isDead) await this.world.clock.sleep(20);
        return log.append(partition, records, options);
      },
    };
  }
}
