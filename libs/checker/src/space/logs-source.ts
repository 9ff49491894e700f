import type { Bounds, Log } from "@seriatim/log";
import type { Hash, Offset, RecordCodec } from "@seriatim/protocol";
import type { Span } from "../history.ts";
import { isGenesis, createEffectsCodec } from "@seriatim/protocol";
import { boundedRecords, RecordCursor } from "./bounded.ts";
import { effectItem, intentItem, verdictItem, type Item, type VerdictItem } from "./items.ts";
import type { LogName, Slice, SpaceSource } from "./source.ts";

/** A log as far as it had come when the reading began. */
export interface BoundedLog {
  readonly log: Log;
  /** By partition. */
  readonly bounds: readonly Bounds[];
}

export interface LogsSourceOptions {
  readonly name: string;
  readonly flags: readonly string[];
  readonly codec: RecordCodec;
  readonly hash: Hash;
  readonly hasGenesis: boolean;
  /** At least one of them. */
  readonly logs: Readonly<Partial<Record<LogName, BoundedLog>>>;
  readonly slice: Slice;
  readonly close: () => Promise<void>;
}

/** The logs of a space, partition by partition. */
export class LogsSource implements SpaceSource {
  readonly name: string;
  readonly flags: readonly string[];
  readonly codec: RecordCodec;
  readonly hasGenesis: boolean;
  readonly logs: ReadonlySet<LogName>;
  readonly starts: ReadonlyMap<number, Offset>;
  readonly #options: LogsSourceOptions;

  constructor(options: LogsSourceOptions) {
    const { name, flags, codec, hasGenesis, logs } = options;
    this.name = name;
    this.flags = flags;
    this.codec = codec;
    this.hasGenesis = hasGenesis;
    this.logs = new Set(Object.keys(logs) as LogName[]);
    this.starts = startsOf(options);
    this.#options = options;
  }

  async *items(signal: AbortSignal, spans?: readonly Span[]): AsyncGenerator<readonly Item[], void> {
    const { to = Infinity } = this.#options.slice;
    if (spans === undefined)
      for (const [partition, from] of this.starts) yield* this.#span({ partition, from, to }, signal);
    else for (const span of spans) yield* this.#span({ ...span, to: Math.min(span.to, to) }, signal);
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  async *#span(span: Span, signal: AbortSignal): AsyncGenerator<readonly Item[], void> {
    const { partition } = span;
    yield* this.#effects(span, signal);
    const intents = new RecordCursor(this.#intents(span, signal));
    try {
      for await (const batch of this.#verdicts(span, signal)) {
        const last = Math.max(...batch.map(({ verdict }) => verdict?.offset ?? -1));
        yield* this.#upTo(intents, partition, last);
        yield batch;
      }
      yield* this.#upTo(intents, partition, Infinity);
    } finally {
      await intents.close();
    }
  }

  async *#upTo(intents: RecordCursor, partition: number, last: Offset): AsyncGenerator<readonly Item[], void> {
    const { codec, hash } = this.#options;
    for (let rest = await intents.rest(); rest.length > 0; rest = await intents.rest()) {
      const beyond = rest.findIndex(({ offset }) => offset > last);
      const count = beyond < 0 ? rest.length : beyond;
      if (count === 0) return;
      yield rest.slice(0, count).map((record) => intentItem(codec, hash, partition, record));
      intents.take(count);
    }
  }

  async *#intents({ partition, from, to }: Span, signal: AbortSignal) {
    const { intents } = this.#options.logs;
    const bounds = intents?.bounds[partition];
    if (intents === undefined || bounds === undefined) return;
    const part = { from: Math.max(bounds.start, from), end: Math.min(bounds.end, to + 1) };
    yield* boundedRecords(intents.log, partition, part, signal);
  }

  /** All of them: what was done about an effect may stand anywhere behind it. */
  async *#effects({ partition, from, to }: Span, signal: AbortSignal): AsyncGenerator<readonly Item[], void> {
    const { effects } = this.#options.logs;
    const bounds = effects?.bounds[partition];
    if (effects === undefined || bounds === undefined) return;
    const codec = createEffectsCodec(this.codec.genesis);
    const part = { from: bounds.start, end: bounds.end };
    for await (const records of boundedRecords(effects.log, partition, part, signal)) {
      const items = records
        .filter(({ value }) => !isGenesis(value))
        .map((record) => effectItem(codec, partition, record));
      const within = items.filter(({ record }) => isWithin(record?.effect.offset, from, to));
      if (within.length > 0) yield within;
    }
  }

  async *#verdicts(span: Span, signal: AbortSignal): AsyncGenerator<readonly VerdictItem[], void> {
    const { codec, logs } = this.#options;
    const { partition, from, to } = span;
    const end = logs.verdicts?.bounds[partition]?.end;
    if (logs.verdicts === undefined || end === undefined) return;
    const part = { from: await this.#firstPlace(span, signal), end };
    let reached = from - 1;
    for await (const records of boundedRecords(logs.verdicts.log, partition, part, signal)) {
      const batch = records.map((record) => verdictItem(codec, partition, record));
      const within = batch.filter(({ verdict }) => isWithin(verdict?.offset, from, to));
      if (within.length > 0) yield within;
      for (const { verdict } of batch)
        if (verdict !== undefined && verdict.predecessor.offset <= reached) reached = Math.max(reached, verdict.offset);
      // What answers the records of the span was sent before, in its order; sent again, it would only be a repeat.
      if (reached > to && batch.every(({ verdict }) => verdict !== undefined && verdict.offset > to)) return;
    }
  }

  /** A verdict's place is mostly not below the offset that it answers, since those of the records before come first. */
  async #firstPlace({ partition, from }: Span, signal: AbortSignal): Promise<Offset> {
    const { codec, logs } = this.#options;
    const { start = 0, end = 0 } = logs.verdicts?.bounds[partition] ?? {};
    let place = Math.min(from, end - 1);
    while (logs.verdicts !== undefined && place > start) {
      const part = { from: place, end: place + 1 };
      for await (const [record] of boundedRecords(logs.verdicts.log, partition, part, signal)) {
        const verdict = record === undefined ? undefined : codec.decodeVerdict(record.value);
        if (verdict !== undefined && verdict.offset <= from) return place;
      }
      place = Math.floor((start + place) / 2);
    }
    return start;
  }
}

function startsOf({ logs: { intents, verdicts }, slice }: LogsSourceOptions): Map<number, Offset> {
  const { from = 0, partition } = slice;
  const starts = new Map<number, Offset>();
  const bounds = (intents ?? verdicts)?.bounds ?? [];
  for (const [index, { start }] of bounds.entries())
    if (partition === undefined || partition === index)
      starts.set(index, Math.max(from, intents === undefined ? 0 : start));
  return starts;
}

function isWithin(offset: Offset | undefined, from: Offset, to: Offset): boolean {
  return offset === undefined || (offset >= from && offset <= to);
}
