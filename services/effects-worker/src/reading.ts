import type { Log, LogRecord, SqliteFile } from "@seriatim/log";
import {
  createEffectsCodec,
  encodeGenesis,
  type EffectAct,
  type EffectsCodec,
  type Hash,
  type Offset,
  type RecordCodec,
} from "@seriatim/protocol";
import { PartitionFold } from "./fold/partition-fold.ts";
import { EffectsStore } from "./store/effects-store.ts";
import type { EffectId, Row } from "./store/row.ts";
import { verifyLogs } from "./verify.ts";

export interface ReadingOptions {
  readonly verdicts: Log;
  readonly effects: Log;
  /** Where the fold of both logs is kept; workers may keep it there too. */
  readonly file: SqliteFile;
  readonly codec: RecordCodec;
  readonly hash: Hash;
  readonly signal: AbortSignal;
}

/** What a person decides about an effect. */
export interface Act {
  readonly act: EffectAct;
  readonly who: string;
  readonly why: string;
}

/** The effects of a space, for people: reads both logs, and calls nothing. */
export class EffectsReading {
  readonly #options: ReadingOptions;
  readonly #effectsCodec: EffectsCodec;
  readonly #folds: ReadonlyMap<number, PartitionFold>;

  private constructor(options: ReadingOptions, store: EffectsStore, partitions: readonly number[]) {
    const { codec } = options;
    const { genesis } = codec;
    this.#options = options;
    this.#effectsCodec = createEffectsCodec(genesis);
    const shared = { ...options, genesis, effectsCodec: this.#effectsCodec, store, onChange: () => undefined };
    this.#folds = new Map(partitions.map((partition) => [partition, new PartitionFold({ ...shared, partition })]));
  }

  /** @throws Failure `log_changed`, `other_space`, `unreadable`, `unavailable`. */
  static async open(options: ReadingOptions): Promise<EffectsReading> {
    const { genesis } = options.codec;
    const partitions = Array.from({ length: genesis.partitions }, (_, index) => index);
    const store = await EffectsStore.open(options.file, encodeGenesis(genesis));
    await verifyLogs({ ...options, store, partitions });
    const reading = new EffectsReading(options, store, partitions);
    await reading.readOn();
    return reading;
  }

  /** Reads as far as both logs reach now. */
  async readOn(): Promise<void> {
    const { verdicts, effects, signal } = this.#options;
    await readTo(verdicts, signal, this.#folds, {
      next: (fold) => fold.position.nextVerdict,
      take: (fold, records) => fold.takeVerdicts(records),
    });
    await readTo(effects, signal, this.#folds, {
      next: (fold) => fold.position.nextEffect,
      take: (fold, records) => fold.takeEffects(records),
    });
    for (const fold of this.#folds.values()) await fold.flush();
  }

  /** In log order, partition by partition; without what is done, unless all are asked for. */
  *rows({ all }: { readonly all: boolean }): Iterable<Row> {
    for (const fold of this.#folds.values())
      for (const row of all ? fold.all() : fold.unfinished()) if (row.definition !== null) yield row;
  }

  /** What the intents record at this offset brought about. */
  at(partition: number, offset: Offset): Row[] {
    return (
      this.#folds
        .get(partition)
        ?.at(offset)
        .filter(({ definition }) => definition !== null) ?? []
    );
  }

  get(id: EffectId): Row | undefined {
    return this.#folds.get(id.partition)?.get(id);
  }

  /** Writes down what a person has decided, and reads on until that has its effect. @throws what `Log.append` throws. */
  async decide({ partition, offset, index, side, digest }: EffectId, { act, who, why }: Act): Promise<void> {
    const { effects, codec } = this.#options;
    const { space } = codec.genesis;
    const effect = { offset, index, side };
    const record = { kind: "decision", space, partition, effect, arguments: digest, act, who, why } as const;
    await effects.append(partition, [{ value: this.#effectsCodec.encode(record) }]);
    await this.readOn();
  }
}

interface Half {
  readonly next: (fold: PartitionFold) => Offset;
  readonly take: (fold: PartitionFold, records: readonly LogRecord[]) => void;
}

/** How long a log that is said to hold more may give nothing, in ms: it ends in a hole, which no reader sees. */
const quietFor = 5_000;

async function readTo(
  log: Log,
  signal: AbortSignal,
  folds: ReadonlyMap<number, PartitionFold>,
  { next, take }: Half,
): Promise<void> {
  const ends = new Map<number, Offset>();
  for (const [partition, fold] of folds) {
    const { end } = await log.bounds(partition);
    if (next(fold) < end) ends.set(partition, end);
  }
  if (ends.size === 0) return;
  const stop = new AbortController();
  const from = new Map([...folds].filter(([partition]) => ends.has(partition)).map(([p, fold]) => [p, next(fold)]));
  let quiet = setTimeout(() => stop.abort(), quietFor);
  try {
    for await (const { partition, records } of log.read(from, { signal: AbortSignal.any([signal, stop.signal]) })) {
      const fold = folds.get(partition);
      if (fold === undefined) continue;
      take(fold, records);
      if (next(fold) >= (ends.get(partition) ?? 0)) ends.delete(partition);
      if (ends.size === 0) return;
      clearTimeout(quiet);
      quiet = setTimeout(() => stop.abort(), quietFor);
    }
  } finally {
    clearTimeout(quiet);
    stop.abort();
  }
  signal.throwIfAborted();
}
