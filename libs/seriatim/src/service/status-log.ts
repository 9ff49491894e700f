import type { Logger } from "pino";
import type { PartitionStatus, Sequencer } from "@seriatim/sequencer";

/** How often the sequencer is looked at for what to log, in ms. */
const lookInterval = 200;

/** Logs what changes in a sequencer's status. */
export class StatusLog {
  readonly #sequencer: Sequencer;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  readonly #before = new Map<number, PartitionStatus>();

  constructor(sequencer: Sequencer, log: Logger) {
    this.#sequencer = sequencer;
    this.#log = log;
    this.#timer = setInterval(() => this.#look(), lookInterval).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  #look(): void {
    for (const status of this.#sequencer.status()) {
      this.#compare(status, this.#before.get(status.partition));
      this.#before.set(status.partition, status);
    }
  }

  #compare(now: PartitionStatus, before: PartitionStatus | undefined): void {
    const { partition, leading, pending, gaps, stalls, obstacle } = now;
    const about = { partition, head: now.head.offset, pending };
    if (leading !== (before?.leading ?? false)) this.#log.info(about, leading ? "leads" : "follows");
    if (stalls > (before?.stalls ?? 0)) this.#log.warn({ ...about, stalls }, "head stalled; sent again from it");
    if (obstacle !== undefined && before?.obstacle === undefined)
      this.#log.warn({ ...about, reason: obstacle }, "verdicts were not appended; trying again");
    if (gaps > (before?.gaps ?? 0)) this.#log.warn({ ...about, gaps }, "verdicts lack their predecessor; skipped");
  }
}
