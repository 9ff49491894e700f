import type { Log, NewRecord } from "@seriatim/log";
import { beforeGenesis, sha256, type Position } from "@seriatim/protocol";
import { Sequencer, type Timing } from "@seriatim/sequencer";
import type { View } from "@seriatim/view";
import { Member, type Life } from "./member.ts";
import type { SimulatedProcess } from "./process.ts";

/** A sequencer that decides all partitions. */
export class SequencerMember extends Member {
  sequencer: Sequencer | undefined;
  /** The verdicts that it has sent in this life, their bytes as latin1. */
  #sent = new Set<string>();

  /** The name that stands in the headers of what it sends in this life. */
  get runName(): string {
    return `${this.name}.${this.lives}`;
  }

  /** How far it has read verdicts back. */
  headOf(partition: number): Position {
    return this.sequencer?.status().find((status) => status.partition === partition)?.head ?? beforeGenesis;
  }

  protected override async work({ process, file, view }: Life): Promise<void> {
    const { intents, codec, plan } = this.world;
    this.#sent = new Set();
    const sequencer = await Sequencer.open({
      intents: process.on(intents),
      verdicts: this.verdictsOf(process),
      view: this.viewOf(view),
      file,
      codec,
      hash: sha256,
      stallAfter: plan.stallAfter,
      name: this.runName,
      timing: this.#timingOf(process),
    });
    this.sequencer = sequencer;
    await sequencer.run(process.signal);
  }

  /** Whether it has sent just these bytes in this life. */
  hasSent(value: Uint8Array): boolean {
    return this.#sent.has(textOf(value));
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
    const isResend = records.some(({ value }) => this.hasSent(value));
    for (const { value } of records) this.#sent.add(textOf(value));
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

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
