import { Failure, isFailure } from "@seriatim/protocol";
import type { TopicProducer } from "./producer.ts";
import type { SizedRecord } from "./records.ts";
import { before, deferred, type Deferred } from "./waiting.ts";

/** `max.message.bytes` bounds a whole batch, so that a send stays well below it. */
const sendBytes = 1_048_576;
const closeGraceMs = 2_000;
/** What has less time left than this when nobody could be reached is not tried once more. */
const leastLeftMs = 1_000;

interface Chunk {
  readonly records: readonly SizedRecord[];
  readonly bytes: number;
}

interface Waiting extends Chunk {
  /** Over for what its caller has given up. */
  deadline: number;
  /** The offset of the chunk's first record. */
  readonly done: Deferred<number>;
}

/** Appends to one partition: one send under way, and what comes in meanwhile goes into the next. */
export class PartitionSender {
  readonly #producer: TopicProducer;
  readonly #partition: number;
  readonly #timeout: number;
  #queue: Waiting[] = [];
  #sent: readonly Waiting[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(producer: TopicProducer, partition: number, timeout: number) {
    this.#producer = producer;
    this.#partition = partition;
    this.#timeout = timeout;
  }

  /** @returns the offset of the first of `records`, once all are acknowledged */
  async append(records: readonly SizedRecord[], signal: AbortSignal | undefined): Promise<number> {
    const deadline = performance.now() + this.#timeout;
    const [first, ...rest] = chunksOf(records);
    if (first === undefined) throw new Failure("invalid_argument", "An append needs at least one record.");
    const offset = await this.#send(first, deadline, signal);
    for (const chunk of rest) {
      await this.#send(chunk, deadline, signal).catch((error: unknown) => {
        throw unknown("only a part of the records was confirmed", error);
      });
    }
    return offset;
  }

  async #send(chunk: Chunk, deadline: number, signal: AbortSignal | undefined): Promise<number> {
    if (this.#closed) throw closed();
    if (signal?.aborted === true) throw aborted(signal);
    const waiting: Waiting = { ...chunk, deadline, done: deferred() };
    const abort = (): void => this.#abandon(waiting, signal);
    signal?.addEventListener("abort", abort);
    this.#queue.push(waiting);
    this.#running ??= this.#run();
    try {
      return await waiting.done.promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  #abandon(waiting: Waiting, signal: AbortSignal | undefined): void {
    const isQueued = this.#queue.includes(waiting);
    if (isQueued) this.#queue = this.#queue.filter((each) => each !== waiting);
    waiting.deadline = 0;
    waiting.done.reject(isQueued ? aborted(signal) : unknown("the caller ended the append", signal?.reason));
  }

  async #run(): Promise<void> {
    // What else is called in this turn shares the first send.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      this.#sent = this.#takeNext();
      await this.#sendTogether(this.#sent);
    }
    this.#sent = [];
    this.#running = undefined;
  }

  #takeNext(): readonly Waiting[] {
    let bytes = 0;
    const tooMuch = this.#queue.findIndex((each) => (bytes += each.bytes) > sendBytes);
    return this.#queue.splice(0, tooMuch === -1 ? this.#queue.length : Math.max(1, tooMuch));
  }

  async #sendTogether(batch: readonly Waiting[]): Promise<void> {
    const records = batch.flatMap((each) => each.records.map(({ record }) => record));
    const bytes = batch.reduce((sum, each) => sum + each.bytes, 0);
    const deadline = Math.min(...batch.map((each) => each.deadline));
    try {
      let offset = await this.#producer.send(this.#partition, { records, bytes }, deadline);
      for (const each of batch) {
        each.done.resolve(offset);
        offset += each.records.length;
      }
    } catch (error) {
      // What was surely not appended was given up with those whose time was over, and may have time left itself.
      const canWait = !this.#closed && isFailure(error, "unavailable") && error.canRetry;
      const soon = canWait ? performance.now() + leastLeftMs : Infinity;
      this.#queue.unshift(...batch.filter((each) => each.deadline > soon));
      for (const each of batch) if (each.deadline <= soon) each.done.reject(error);
    }
  }

  /** What has not been sent is given up at once, what is under way has a short while. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const each of this.#queue.splice(0)) each.done.reject(closed());
    try {
      await before(performance.now() + closeGraceMs, this.#running ?? Promise.resolve());
    } catch (error) {
      for (const each of this.#sent) each.done.reject(unknown("the log was closed", error));
    }
  }
}

function chunksOf(records: readonly SizedRecord[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: SizedRecord[] = [];
  let bytes = 0;
  for (const each of records) {
    if (chunk.length > 0 && bytes + each.bytes > sendBytes) {
      chunks.push({ records: chunk, bytes });
      chunk = [];
      bytes = 0;
    }
    chunk.push(each);
    bytes += each.bytes;
  }
  return chunk.length === 0 ? chunks : [...chunks, { records: chunk, bytes }];
}

function closed(): Failure {
  return new Failure("closed", "The log was closed before the records were sent; nothing was appended.");
}

function aborted(signal: AbortSignal | undefined): Failure {
  return new Failure("aborted", "The caller ended the append before it began; nothing was appended.", {
    cause: signal?.reason,
  });
}

function unknown(what: string, cause: unknown): Failure {
  const message = `Whether the records were appended is not known: ${what}. Look for them before appending them again.`;
  return new Failure("unknown_outcome", message, { canRetry: true, cause });
}
