import type { Log, LogRecord } from "@seriatim/log";
import { beforeGenesis, linkOf, type Position, type RecordCodec, type Verdict } from "@seriatim/protocol";
import { nameOf } from "../advances.ts";

export interface FollowOptions {
  readonly verdicts: Log;
  readonly codec: RecordCodec;
  readonly partitions: readonly number[];
  /** Begin with the verdict of this intents offset; with the last few of each partition unless given. */
  readonly from: number | undefined;
  /** Go on at the log's end, until the signal fires. */
  readonly follow: boolean;
  readonly signal: AbortSignal;
  readonly onVerdict: (verdict: Verdict) => void;
  /** Gets a sentence on each record that no reader applies. */
  readonly onOddity: (sentence: string) => void;
}

/** How many verdicts of each partition are shown at first. */
const shownAtFirst = 10;

/** Reads verdicts as a reader applies them: each that links to the one before it, once (invariant 3). */
export async function followVerdicts(options: FollowOptions): Promise<void> {
  const { verdicts, partitions, follow, signal } = options;
  const bounds = new Map(
    await Promise.all(partitions.map(async (partition) => [partition, await verdicts.bounds(partition)] as const)),
  );
  const from = new Map([...bounds].map(([partition, { start, end }]) => [partition, firstPlace(options, start, end)]));
  const readers = new Map(partitions.map((partition) => [partition, new Reader(partition, options)]));
  const unfinished = new Set(partitions.filter((partition) => (from.get(partition) ?? 0) < endOf(partition)));
  if (!follow && unfinished.size === 0) return;
  const enough = new AbortController();
  for await (const { partition, records } of verdicts.read(from, {
    signal: AbortSignal.any([signal, enough.signal]),
  })) {
    for (const record of records) if (follow || record.offset < endOf(partition)) readers.get(partition)?.take(record);
    if ((records.at(-1)?.offset ?? 0) + 1 >= endOf(partition)) unfinished.delete(partition);
    if (!follow && unfinished.size === 0) enough.abort();
  }

  function endOf(partition: number): number {
    return bounds.get(partition)?.end ?? 0;
  }
}

/** A verdict's place in its log is never below the offset that it answers: the verdicts of those before it come first. */
function firstPlace({ from }: FollowOptions, start: number, end: number): number {
  return Math.max(start, from === undefined ? end - shownAtFirst : Math.min(from, end));
}

/** One partition, from some place in its log on. */
class Reader {
  readonly #partition: number;
  readonly #options: FollowOptions;
  #position: Position | undefined;
  /** Whether a second verdict has confirmed the first. */
  #isLinked = false;

  constructor(partition: number, options: FollowOptions) {
    this.#partition = partition;
    this.#options = options;
  }

  take({ offset: at, value }: LogRecord): void {
    const { codec, from, onVerdict, onOddity } = this.#options;
    const verdict = codec.decodeVerdict(value);
    if (verdict?.partition !== this.#partition) {
      onOddity(`record ${at} in partition ${this.#partition} of the verdicts log is no verdict of it; readers skip it`);
      return;
    }
    const link = this.#link(verdict);
    if (link === "gap") onOddity(this.#lacks(verdict));
    if (link !== "next") return;
    this.#position = { offset: verdict.offset, chain: verdict.chain };
    if (verdict.offset >= (from ?? 0)) onVerdict(verdict);
  }

  /** The first verdict read is taken at its word until another links to it. */
  #link(verdict: Verdict): ReturnType<typeof linkOf> {
    const link = this.#position === undefined ? "next" : linkOf(this.#position, verdict);
    if (link === "gap" && !this.#isLinked) return "next";
    if (link === "next" && this.#position !== undefined) this.#isLinked = true;
    return link;
  }

  #lacks({ offset, predecessor }: Verdict): string {
    const partition = this.#partition;
    const { offset: head } = this.#position ?? beforeGenesis;
    return (
      `the verdict of ${nameOf({ partition, offset })} follows that of ${nameOf({ partition, offset: predecessor.offset })}, ` +
      `and the last one applied is that of ${nameOf({ partition, offset: head })}; readers skip it until a sequencer ` +
      "has sent what is missing"
    );
  }
}
