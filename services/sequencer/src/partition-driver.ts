import { Wakeup, type Log, type LogRecord, type NewRecord } from "@seriatim/log";
import { isFailure, type Failure, type Offset, type RecordCodec } from "@seriatim/protocol";
import type { ViewPosition } from "@seriatim/view";
import type { Folding } from "./folding/folding.ts";
import type { SequencerObserver } from "./observer.ts";
import type { Pipeline, Role } from "./pipeline.ts";
import type { ReadingTime } from "./reading-time.ts";
import type { PartitionStatus } from "./status.ts";
import type { Timing } from "./timing.ts";

/** The most that is decided and not read back: what a sequencer holds in memory while the verdicts log is away. */
const mostPending = { count: 20_000, bytes: 64 * 1024 * 1024 };

/** For how many stalls' time the reader must have waited for more to take a hole for the log's end. */
const quietFor = 10;

/** The most that one append carries. */
const batch = { count: 1_000, bytes: 768 * 1024 };

export interface PartitionDriverOptions {
  readonly partition: number;
  readonly pipeline: Pipeline;
  readonly verdicts: Log;
  /** Where the view stood when the pipeline's state was loaded from it. */
  readonly position: ViewPosition;
  readonly folding: Folding;
  readonly codec: RecordCodec;
  readonly stallAfter: number;
  readonly timing: Timing;
  /** Of the one who reads the verdicts of all partitions. */
  readonly reading: ReadingTime;
  readonly observer: SequencerObserver;
  /** Rejects with Failure `log_changed` when the view was folded from other intents than the log holds. */
  readonly verify: (signal: AbortSignal) => Promise<void>;
}

/** Performs what the pipeline of one partition says: appends, folds what is read back, and notices when nothing is. */
export class PartitionDriver {
  readonly #options: PartitionDriverOptions;
  /** Something may have to be sent. */
  readonly #work = new Wakeup();
  /** There may be room for more decisions. */
  readonly #room = new Wakeup();
  #nextVerdict: Offset;
  /** The offset up to which the view is known to be of this intents log. */
  readonly #verified: Offset;
  #isSending = false;
  /** Who sent what was read last: the first record of an append says so for the others. */
  #sender: string | undefined;
  /** When the head last moved, or was first waited for. */
  #movedAt: number;
  /** When something was last read from the verdicts log, by the time that its reader has waited. */
  #readAt: number;
  #repeats = 0;
  #gaps = 0;
  #stalls = 0;
  /** Why the last append failed, if it did. */
  #obstacle: string | undefined;

  constructor(options: PartitionDriverOptions) {
    this.#options = options;
    const { next, offset } = options.position;
    this.#nextVerdict = next;
    this.#verified = offset;
    this.#movedAt = options.timing.now();
    this.#readAt = options.reading.now();
  }

  get nextIntent(): Offset {
    return this.#options.pipeline.decided + 1;
  }

  get nextVerdict(): Offset {
    return this.#nextVerdict;
  }

  status(): PartitionStatus {
    const { partition, pipeline } = this.#options;
    return {
      partition,
      role: pipeline.role,
      leading: pipeline.isLeading,
      head: pipeline.head,
      decided: pipeline.decided,
      pending: pipeline.pending.count,
      pendingSince: pipeline.pendingSince,
      repeats: this.#repeats,
      gaps: this.#gaps,
      stalls: this.#stalls,
      obstacle: this.#obstacle,
    };
  }

  /** Before the driver runs the role says whether it begins by leading. */
  assume(role: Role): void {
    const { pipeline } = this.#options;
    if (role === pipeline.role) return;
    pipeline.assume(role);
    this.#work.notify();
  }

  /** Decides records of the intents log; waits while too much is not read back. */
  async take(records: readonly LogRecord[], signal: AbortSignal): Promise<void> {
    const { partition, pipeline, timing, observer } = this.#options;
    while (isFull(pipeline) && !signal.aborted) await this.#room.wait(signal);
    const began = timing.now();
    if (pipeline.pending.count === 0) this.#movedAt = began;
    const decisions = pipeline.take(records);
    observer.decided(partition, decisions, timing.now() - began);
    this.#work.notify();
  }

  /** Takes note of records of the verdicts log, and has them folded into the view. */
  async readBack(records: readonly LogRecord[], signal: AbortSignal): Promise<void> {
    const { codec, folding, partition, pipeline, timing, reading, observer } = this.#options;
    const now = timing.now();
    const read = records.map(({ offset, value, headers }) => {
      const verdict = pipeline.recognise(value) ?? codec.decodeVerdict(value);
      this.#sender = headers["sequencer"] ?? this.#sender;
      const link = verdict === undefined ? "gap" : pipeline.readBack(verdict, this.#sender);
      if (link === "repeat") this.#repeats += 1;
      if (link === "gap") this.#gaps += 1;
      if (link === "next") this.#movedAt = now;
      observer.readBack(partition, link, verdict);
      return { at: offset, value, verdict };
    });
    await folding.take(partition, read, signal);
    this.#nextVerdict = (records.at(-1)?.offset ?? this.#nextVerdict - 1) + 1;
    this.#readAt = reading.now();
    this.#room.notify();
    this.#work.notify();
  }

  /** Appends what the pipeline has to send, one append at a time. */
  async send(signal: AbortSignal): Promise<void> {
    await this.#catchUp(signal);
    const { pipeline, verdicts, partition, stallAfter, timing, observer } = this.#options;
    while (!signal.aborted) {
      const records = pipeline.toSend(batch);
      if (records.length === 0) {
        await this.#work.wait(signal);
        continue;
      }
      this.#isSending = true;
      try {
        await verdicts.append(partition, records, { signal });
        this.#obstacle = undefined;
        observer.sent(partition, records.length, bytesOf(records));
      } catch (error) {
        if (signal.aborted) return;
        if (!passes(error)) throw error;
        this.#obstacle = error.message;
        await timing.sleep(stallAfter, signal);
        pipeline.sendAgain();
      } finally {
        this.#isSending = false;
      }
    }
  }

  /** Steps in when the head stands still although verdicts are missing: the leader is gone, or some were lost. */
  async watch(signal: AbortSignal): Promise<void> {
    const { pipeline, stallAfter, timing } = this.#options;
    while (!signal.aborted) {
      // Spread out, so that of several followers one steps in first and the others see it.
      const patience = stallAfter * (1 + timing.random());
      await timing.sleep(patience / 4, signal);
      this.#work.notify();
      const isWaiting = pipeline.pending.count > 0 && !this.#isSending;
      if (!isWaiting || timing.now() - this.#movedAt < patience || !(await this.#isAtEnd())) continue;
      this.#stalls += 1;
      this.#movedAt = timing.now();
      pipeline.sendAgain();
    }
  }

  /** Reads what is in the verdicts log before sending anything, so that a start repeats nothing. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#isAtEnd())) await this.#work.wait(signal);
    await this.#verify(signal);
    const { pipeline } = this.#options;
    if (pipeline.role !== "standby") pipeline.sendAgain();
  }

  /** What was read up to here has to be the history of this intents log, and not of one that it replaced (invariant 9). */
  async #verify(signal: AbortSignal): Promise<void> {
    const { pipeline, folding, verify, stallAfter, timing } = this.#options;
    if (pipeline.head.offset === this.#verified) return;
    await folding.settled(signal);
    while (!signal.aborted) {
      try {
        return await verify(signal);
      } catch (error) {
        if (!isFailure(error, "unavailable", "aborted")) throw error;
        await timing.sleep(stallAfter, signal);
      }
    }
  }

  /** Whether all of the verdicts log was read. A log may end in a hole, which no reader sees: then quiet counts. */
  async #isAtEnd(): Promise<boolean> {
    const { verdicts, partition, stallAfter, reading } = this.#options;
    try {
      const { end } = await verdicts.bounds(partition);
      return this.#nextVerdict >= end || reading.now() - this.#readAt > quietFor * stallAfter;
    } catch (error) {
      if (isFailure(error, "unavailable", "closed")) return false;
      throw error;
    }
  }
}

/** Whether what failed may succeed when it is sent again. */
function passes(error: unknown): error is Failure {
  return isFailure(error, "unknown_outcome") || (isFailure(error, "unavailable") && error.canRetry);
}

function isFull(pipeline: Pipeline): boolean {
  const { count, bytes } = pipeline.pending;
  return count >= mostPending.count || bytes >= mostPending.bytes;
}

function bytesOf(records: readonly NewRecord[]): number {
  return records.reduce((sum, { value }) => sum + value.length, 0);
}
