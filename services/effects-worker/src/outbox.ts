import { Wakeup, type Log, type NewRecord } from "@seriatim/log";
import { isFailure, type EffectRecord, type EffectsCodec } from "@seriatim/protocol";
import type { Timing } from "./timing.ts";

/** The most that one append carries. */
const batch = { count: 500, bytes: 512 * 1024 };

/** After an append that failed, in ms. What was lost is sent again by whoever misses it. */
const pauseAfterFailure = 500;

export interface OutboxOptions {
  readonly partition: number;
  readonly log: Log;
  readonly codec: EffectsCodec;
  readonly timing: Timing;
}

/** Appends records to the effects log of one partition, in the order given: all that came while the last append ran. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #work = new Wakeup();
  #waiting: NewRecord[] = [];
  #isSending = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  add(record: EffectRecord): void {
    this.#waiting.push({ value: this.#options.codec.encode(record) });
    this.#work.notify();
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && !this.#isSending;
  }

  /**
   * Sends until `signal` fires.
   * @throws Failure that waiting does not cure: `log_changed`, `topic_settings`, `read_only` and their like.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { timing } = this.#options;
    while (!signal.aborted) {
      const records = this.#take();
      if (records.length === 0) {
        await this.#work.wait(signal);
        // What comes in the same turn goes along.
        await Promise.resolve();
        continue;
      }
      this.#isSending = true;
      const isSent = await this.#send(records).finally(() => (this.#isSending = false));
      if (!isSent) await timing.sleep(pauseAfterFailure, signal);
    }
  }

  async #send(records: readonly NewRecord[]): Promise<boolean> {
    const { partition, log } = this.#options;
    try {
      await log.append(partition, records);
      return true;
    } catch (error) {
      if (isFailure(error, "unavailable", "unknown_outcome", "closed")) return false;
      throw error;
    }
  }

  #take(): NewRecord[] {
    let bytes = 0;
    let count = 0;
    for (const { value } of this.#waiting) {
      bytes += value.length;
      if (count > 0 && (bytes > batch.bytes || count >= batch.count)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
