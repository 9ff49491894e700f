import { encodeGenesis, Failure } from "@seriatim/protocol";
import type { Cancel, DecodedRecord, Outcome, Submit, Verdict } from "@seriatim/protocol";
import { Chain } from "../audit/chain.ts";
import { committed, draftOf } from "../audit/draft.ts";
import type { DecidedItem, IntentItem, Item, VerdictItem } from "../space/items.ts";
import type { SpaceSource } from "../space/source.ts";
import { exportVersion, type HeaderLine, type RecordLine, type TransactionLine } from "./lines.ts";
import {
  effectRecordLine,
  intentRecordLine,
  transactionLine,
  verdictRecordLine,
  type DecidedOutcome,
} from "./write-lines.ts";

type Line = HeaderLine | TransactionLine | RecordLine;

/** So many intents may wait for their verdicts; of a log in which one is missing, the rest are written as they stand. */
const mostPending = 10_000;

/** The lines of an export of `source`, in batches: from them it can be checked as from its logs. */
export async function* exportLines(source: SpaceSource, signal: AbortSignal): AsyncGenerator<readonly string[], void> {
  yield [JSON.stringify(headerLine(source))];
  const partitions = new Map<number, PartitionExport>();
  for await (const items of source.items(signal)) {
    const lines: Line[] = [];
    for (const item of items) {
      const partition = item.partition ?? 0;
      const known = partitions.get(partition) ?? new PartitionExport(source, partition);
      partitions.set(partition, known);
      for (const line of known.linesOf(item)) lines.push(line);
    }
    if (lines.length > 0) yield lines.map((line) => JSON.stringify(line));
  }
  for (const partition of partitions.values()) {
    const lines = [...partition.rest()];
    if (lines.length > 0) yield lines.map((line) => JSON.stringify(line));
  }
}

function headerLine({ name, logs, codec, hasGenesis, starts }: SpaceSource): HeaderLine {
  return {
    seriatim: "export",
    version: exportVersion,
    source: name,
    logs: [...logs],
    ...(hasGenesis ? { genesis: Buffer.from(encodeGenesis(codec.genesis)).toString("base64") } : {}),
    starts: Object.fromEntries(starts),
  };
}

/** One partition. A record and its verdict go into one line if the line, read again, gives the bytes of both. */
class PartitionExport {
  readonly #source: SpaceSource;
  readonly #chain: Chain;
  #time: number;
  #pending: IntentItem[] = [];

  constructor(source: SpaceSource, partition: number) {
    this.#source = source;
    this.#chain = new Chain(source.starts.get(partition) ?? 0);
    this.#time = 0;
  }

  *linesOf(item: Item): Generator<Line> {
    switch (item.kind) {
      case "intent":
        this.#pending.push(item);
        if (this.#pending.length > mostPending) yield* this.rest();
        return;
      case "verdict":
        return yield* this.#verdictLines(item);
      case "effect":
        return yield effectRecordLine(item);
      case "decided":
        return yield* this.#decidedLines(item);
      case "broken":
        throw new Failure("unreadable", `${this.#source.name} cannot be exported again: ${item.message}`);
    }
  }

  /** Of an export that is exported again. */
  *#decidedLines({ intent, outcome, chain }: DecidedItem): Generator<Line> {
    const { record } = intent;
    if (isLinable(record) && isLine(outcome)) yield transactionLine(intent, record, { outcome, chain });
  }

  /** What has no verdict. */
  *rest(): Generator<Line> {
    for (const item of this.#pending) {
      const { record } = item;
      yield isPlain(item, this.#source) && isLinable(record)
        ? transactionLine(item, record, undefined)
        : intentRecordLine(item);
    }
    this.#pending = [];
  }

  *#verdictLines(item: VerdictItem): Generator<Line> {
    const { verdict } = item;
    const [first] = this.#pending;
    const before = { predecessor: this.#chain.position, time: this.#time };
    if (verdict !== undefined && this.#chain.take(verdict) === "next") this.#time = Math.max(this.#time, verdict.time);
    const line = verdict === undefined || first === undefined ? undefined : this.#lineOf(first, verdict, before);
    if (line !== undefined) {
      this.#pending.shift();
      return yield line;
    }
    for (const left of this.#pending)
      if (verdict === undefined || left.offset <= verdict.offset) yield intentRecordLine(left);
    this.#pending = this.#pending.filter(({ offset }) => verdict !== undefined && offset > verdict.offset);
    yield verdictRecordLine(item);
  }

  #lineOf(
    item: IntentItem,
    verdict: Verdict,
    { predecessor, time }: { readonly predecessor: Verdict["predecessor"] | undefined; readonly time: number },
  ): TransactionLine | undefined {
    const { codec } = this.#source;
    const { outcome, chain } = verdict;
    const { record } = item;
    if (predecessor === undefined || !isLinable(record) || !isLine(outcome) || item.offset !== verdict.offset)
      return undefined;
    if (!isPlain(item, this.#source)) return undefined;
    // Of a commit the line says no more than that it is one.
    const read = outcome.kind === "committed" && record.kind === "submit" ? committed(record) : outcome;
    const draft = draftOf(item, read, { genesis: codec.genesis, predecessor, time });
    return codec.encodeVerdict(draft).chain === chain ? transactionLine(item, record, { outcome, chain }) : undefined;
  }
}

/** Whether the record's fields, encoded, are its bytes: others may write the same in more ways than one. */
function isPlain({ partition, record, bytes }: IntentItem, { codec, hasGenesis }: SpaceSource): boolean {
  if (!hasGenesis || !isLinable(record)) return false;
  if (record.space !== codec.genesis.space || record.partition !== partition) return false;
  return Buffer.compare(codec.encodeIntent(record), bytes) === 0;
}

/** Whether a line can say all of the record. */
function isLinable(record: DecodedRecord): record is Submit | Cancel {
  return record.kind === "submit" || record.kind === "cancel";
}

function isLine(outcome: Outcome): outcome is DecidedOutcome {
  return outcome.kind !== "genesis" && outcome.kind !== "held" && outcome.kind !== "expired";
}
