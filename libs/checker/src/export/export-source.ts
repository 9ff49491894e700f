import { Failure, type Offset, type RecordCodec } from "@seriatim/protocol";
import type { Span } from "../history.ts";
import type { Item } from "../space/items.ts";
import type { LogName, Slice, SpaceSource } from "../space/source.ts";
import { headerOf, isHeader, type Header } from "./header.ts";
import { lineBatches, parseLine, type LineBatch, type Stretch } from "./line-batches.ts";
import { plainItem } from "./plain-line.ts";
import { itemOf } from "./read-lines.ts";

/** What a part of the file holds of a partition. */
interface Indexed {
  readonly stretch: Stretch;
  readonly span: Span;
}

/**
 * An export as a space.
 * @throws Failure `invalid_argument` when there is no such file; `unreadable` when it is no export; `unknown_rules`.
 */
export async function openExportSource(path: string, slice: Slice = {}): Promise<SpaceSource> {
  return new ExportSource(path, headerOf(await firstLine(path), path), slice);
}

class ExportSource implements SpaceSource {
  readonly name: string;
  readonly flags: readonly string[];
  readonly logs: ReadonlySet<LogName>;
  readonly codec: RecordCodec;
  readonly hasGenesis: boolean;
  readonly starts: ReadonlyMap<number, Offset>;
  readonly #header: Header;
  readonly #slice: Slice;
  /** Of all that was read, once all was. */
  #index: readonly Indexed[] | undefined;

  constructor(path: string, header: Header, slice: Slice) {
    const { from = 0, partition } = slice;
    this.name = path;
    this.flags = [path];
    this.logs = new Set(header.logs);
    this.codec = header.codec;
    this.hasGenesis = header.hasGenesis;
    const starts = [...header.starts].filter(([index]) => partition === undefined || index === partition);
    this.starts = new Map(starts.map(([index, start]) => [index, Math.max(start, from)]));
    this.#header = header;
    this.#slice = slice;
  }

  async *items(signal: AbortSignal, spans?: readonly Span[]): AsyncGenerator<readonly Item[], void> {
    if (spans === undefined || this.#index === undefined) yield* this.#all(signal, spans);
    else for (const stretch of stretchesOf(this.#index, spans)) yield* this.#stretch(stretch, spans, signal);
  }

  async close(): Promise<void> {
    this.#index = undefined;
  }

  async *#all(signal: AbortSignal, spans: readonly Span[] | undefined): AsyncGenerator<readonly Item[], void> {
    const index: Indexed[] = [];
    for await (const batch of lineBatches(this.name)) {
      signal.throwIfAborted();
      const items = this.#itemsOf(batch);
      noteSpans(index, batch, items);
      yield items.filter((item) => this.#isAsked(item, spans));
    }
    this.#index = index;
  }

  async *#stretch(
    stretch: Stretch,
    spans: readonly Span[],
    signal: AbortSignal,
  ): AsyncGenerator<readonly Item[], void> {
    for await (const batch of lineBatches(this.name, stretch)) {
      signal.throwIfAborted();
      yield this.#itemsOf(batch).filter((item) => this.#isAsked(item, spans));
    }
  }

  #itemsOf({ lines, isClean, from }: LineBatch): Item[] {
    const items = from === 0 && isHeader(parseLine(lines[0] ?? "")) ? lines.slice(1) : lines;
    return items.map((line) => (isClean ? plainItem(line, this.#header) : undefined) ?? this.#parsed(line));
  }

  #parsed(line: string): Item {
    return itemOf(parseLine(line), this.#header);
  }

  #isAsked(item: Item, spans: readonly Span[] | undefined): boolean {
    const { partition } = item;
    const offset = offsetOf(item);
    const { from = 0, to = Infinity, partition: only = partition } = this.#slice;
    if (partition === null || offset === null) return true;
    if (partition !== only || offset < from || offset > to) return false;
    return spans === undefined || spans.some((span) => isInside(span, partition, offset));
  }
}

function isInside({ partition, from, to }: Span, inPartition: number, offset: Offset): boolean {
  return partition === inPartition && offset >= from && offset <= to;
}

/** Of the intents record concerned; null when it cannot be told. */
function offsetOf(item: Item): Offset | null {
  switch (item.kind) {
    case "intent":
    case "broken":
      return item.offset;
    case "verdict":
      return item.verdict?.offset ?? null;
    case "decided":
      return item.intent.offset;
    case "effect":
      return item.record?.effect.offset ?? null;
  }
}

function noteSpans(index: Indexed[], { from, to }: LineBatch, items: readonly Item[]): void {
  const spans = new Map<number, { partition: number; from: Offset; to: Offset }>();
  for (const item of items) {
    const { partition } = item;
    const offset = offsetOf(item);
    if (partition === null || offset === null) continue;
    const span = spans.get(partition);
    if (span === undefined) spans.set(partition, { partition, from: offset, to: offset });
    else {
      span.from = Math.min(span.from, offset);
      span.to = Math.max(span.to, offset);
    }
  }
  for (const span of spans.values()) index.push({ stretch: { from, to }, span });
}

/** The parts of the file that hold anything of `spans`, in order, each once. */
function stretchesOf(index: readonly Indexed[], spans: readonly Span[]): Stretch[] {
  const found: Stretch[] = [];
  for (const { stretch, span } of index) {
    const isNeeded = spans.some(
      ({ partition, from, to }) => partition === span.partition && from <= span.to && span.from <= to,
    );
    if (isNeeded && found.at(-1)?.from !== stretch.from) found.push(stretch);
  }
  return found;
}

async function firstLine(path: string): Promise<unknown> {
  try {
    for await (const { lines } of lineBatches(path)) return parseLine(lines[0] ?? "");
    return undefined;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new Failure("invalid_argument", `there is no file ${path}; correct the path`, { cause });
    if (code === "EISDIR") throw new Failure("invalid_argument", `${path} is a folder; name a file`, { cause });
    throw new Failure("unreadable", `${path} cannot be read: ${String(cause)}`, { cause });
  }
}
