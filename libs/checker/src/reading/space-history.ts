import type { Digest, Offset } from "@seriatim/protocol";
import type { DecidedRecord } from "../audit/decided.ts";
import { Objections } from "../audit/objections.ts";
import type { LoggedHistory, LoggedTransaction, Span } from "../history.ts";
import type { RuleWatch } from "../rules/rule-watch.ts";
import type { Item } from "../space/items.ts";
import type { SpaceSource } from "../space/source.ts";
import { PartitionReading } from "./partition-reading.ts";
import { transactionOf } from "./transactions.ts";

export interface ReadingOptions {
  /** Whether verdicts are derived anew. */
  readonly decisions?: boolean;
  /** Whether the lines of an export are taken at their word: several times faster, and finds no damage. */
  readonly trustsExports?: boolean;
  /** Chain hashes, or their beginnings, that must be in the log, by partition. */
  readonly heads?: ReadonlyMap<number, Digest>;
  /** Is given every commit. */
  readonly rules?: readonly RuleWatch[];
  readonly signal?: AbortSignal;
  /** Called now and then with the number of records read so far. */
  readonly onProgress?: (records: number) => void;
}

/** A space as a history to be judged. The first reading of all of it audits it, too. */
export class SpaceHistory implements LoggedHistory {
  readonly kind = "logged";
  readonly effectsKnown: boolean;
  readonly starts: ReadonlyMap<number, Offset>;
  readonly objections = new Objections();
  /** Of the first reading; complete once it is. */
  readonly partitions = new Map<number, PartitionReading>();
  readonly #source: SpaceSource;
  readonly #options: ReadingOptions;
  readonly #signal: AbortSignal;
  #isAudited = false;

  constructor(source: SpaceSource, options: ReadingOptions = {}) {
    this.#source = source;
    this.#options = options;
    this.starts = source.starts;
    this.effectsKnown = source.logs.has("effects");
    this.#signal = options.signal ?? new AbortController().signal;
  }

  get isAudited(): boolean {
    return this.#isAudited;
  }

  /** Reads all of it, if nothing has yet. */
  async audit(): Promise<void> {
    if (this.#isAudited) return;
    // oxlint-disable-next-line no-unused-vars
    for await (const _ of this.read());
  }

  async *read(spans?: readonly Span[]): AsyncGenerator<readonly LoggedTransaction[], void> {
    if (spans === undefined && !this.#isAudited) yield* this.#readFirst();
    else yield* this.#readAgain(spans);
  }

  async *#readFirst(): AsyncGenerator<readonly LoggedTransaction[], void> {
    const { decisions = false, trustsExports = false, heads, rules = [], onProgress } = this.#options;
    const batch = new Batch((record) => {
      for (const rule of rules) rule.take(record);
    });
    for (const [partition, start] of this.starts) {
      const head = heads?.get(partition);
      const { objections } = this;
      const onDecided = batch.take;
      const options = { source: this.#source, partition, start, objections, decisions, trustsExports, head, onDecided };
      this.partitions.set(partition, new PartitionReading(options));
    }
    let records = 0;
    for await (const items of this.#source.items(this.#signal)) {
      for (const item of items) this.#route(item);
      records += items.length;
      onProgress?.(records);
      yield batch.flush();
    }
    for (const partition of this.partitions.values()) partition.end();
    this.#isAudited = true;
  }

  #route(item: Item): void {
    const { partition } = item;
    const reading = partition === null ? undefined : this.partitions.get(partition);
    if (reading !== undefined) reading.take(item);
    else if (item.kind === "broken") this.objections.add("audit:record", partition, item.offset, item.message);
    else this.objections.add("audit:record", partition, null, `a record of partition ${partition}, which is not there`);
  }

  /** Anew, without a second audit. Outcomes that are derived are derived from the start on. */
  async *#readAgain(spans: readonly Span[] | undefined): AsyncGenerator<readonly LoggedTransaction[], void> {
    const isDerived = !this.#source.logs.has("verdicts");
    const whole = [...this.starts].map(([partition, from]) => ({ partition, from, to: Infinity }));
    for (const span of spans === undefined || isDerived ? whole : spans) yield* this.#readSpan(span);
  }

  async *#readSpan(span: Span): AsyncGenerator<readonly LoggedTransaction[], void> {
    const { partition, from } = span;
    const batch = new Batch(() => undefined);
    // Where it is read from its midst, its first verdict is taken at its word: the audit has seen it before.
    const start = from === this.starts.get(partition) ? from : Math.max(from, 1);
    const options = { source: this.#source, partition, start, decisions: false, trustsExports: true, head: undefined };
    const reading = new PartitionReading({ ...options, objections: new Objections(), onDecided: batch.take });
    for await (const items of this.#source.items(this.#signal, [span])) {
      for (const item of items) if (item.partition === partition) reading.take(item);
      yield batch.flush();
    }
  }
}

/** Gathers the transactions among the records of a batch. */
class Batch {
  readonly #onRecord: (record: DecidedRecord) => void;
  #transactions: LoggedTransaction[] = [];

  constructor(onRecord: (record: DecidedRecord) => void) {
    this.#onRecord = onRecord;
  }

  readonly take = (record: DecidedRecord, left: (index: number) => Offset | null): void => {
    this.#onRecord(record);
    const transaction = transactionOf(record, left);
    if (transaction !== undefined) this.#transactions.push(transaction);
  };

  flush(): readonly LoggedTransaction[] {
    const transactions = this.#transactions;
    this.#transactions = [];
    return transactions;
  }
}
