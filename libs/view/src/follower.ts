import type { Batch, Log, LogRecord, SqliteFile } from "@seriatim/log";
import type { Offset, Position, RecordCodec } from "@seriatim/protocol";
import type { FoldCounts, ReadVerdict, ViewPosition } from "./types.ts";
import type { View } from "./view.ts";

/** The view went on from the verdict of `from` to that of `to`. */
export interface Advance {
  readonly partition: number;
  readonly from: Offset;
  readonly to: Offset;
}

/**
 * `stalled`: the verdicts log was read to its end, and no record in it is the successor of the view's head, though
 * others came after it: verdicts were lost or torn. The view does not advance until a sequencer has sent them again.
 * `recovered`: it advances again.
 */
export type Alarm =
  | {
      readonly kind: "stalled";
      readonly partition: number;
      readonly head: Position;
      /** Where the verdicts log ends. */
      readonly end: Offset;
      /** The highest offset that a verdict was read of. */
      readonly seen: Offset;
      /** How many records were read and not applied since the head was, repeats aside. */
      readonly skipped: number;
    }
  | { readonly kind: "recovered"; readonly partition: number; readonly head: Position };

export interface FollowOptions {
  /** The verdicts log. */
  readonly log: Log;
  readonly view: View;
  /** The file that the view is in. */
  readonly file: SqliteFile;
  readonly codec: RecordCodec;
  readonly partitions: readonly number[];
  readonly signal: AbortSignal;
  /** After each advance of the view, also when another process folded. Must not throw. */
  readonly onAdvance: (advance: Advance) => void;
  /** Must not throw. */
  readonly onAlarm: (alarm: Alarm) => void;
}

export interface Following {
  /** Resolves when everything was read that the log held when `follow` was called. Never rejects: see `ended`. */
  readonly caughtUp: Promise<void>;
  /** Resolves when `signal` fired. Rejects with what the log's `read` or the file's `transaction` failed with. */
  readonly ended: Promise<void>;
  /** What was read of a partition since `follow` was called, without what was applied. */
  counts(partition: number): FoldCounts;
}

/**
 * How many records, and bytes of them, one transaction folds at most, so that none holds up the event loop for long
 * (some 20 ms). More at once is faster: what writes to the same page of the file is written once.
 */
const chunkRecords = 1024;
const chunkBytes = 1024 * 1024;

/** After how long without a record a reader that is behind the log's end takes itself to be there, in ms. */
const quietFor = 5_000;

/** How far the stored `next` may lag behind what was read, when another process folds all that we read. */
const lazyRecords = 1024;

/** Reads the verdicts log from where the view stands, and folds it, until `signal` fires. */
export function follow(options: FollowOptions): Following {
  const followers = new Map(options.partitions.map((partition) => [partition, new Follower(partition, options)]));
  const caughtUp = Promise.all([...followers.values()].map((follower) => follower.caughtUp));
  return {
    caughtUp: caughtUp.then(() => undefined),
    ended: run(followers, options),
    counts: (partition) => ({ ...(followers.get(partition)?.counts ?? noCounts) }),
  };
}

async function run(followers: ReadonlyMap<number, Follower>, { log, file, signal }: FollowOptions): Promise<void> {
  const unsubscribe = file.subscribe(() => {
    if (!file.isOpen) return;
    for (const follower of followers.values()) follower.notice();
  });
  try {
    for (const follower of followers.values()) await follower.begin();
    const from = new Map([...followers].map(([partition, { next }]) => [partition, next]));
    for await (const batch of log.read(from, { signal })) await followers.get(batch.partition)?.take(batch);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    unsubscribe();
  }
}

const noCounts: FoldCounts = { repeats: 0, gaps: 0, foreign: 0, unreadable: 0 };

/** Follows one partition. */
class Follower {
  readonly #partition: number;
  readonly #options: FollowOptions;
  /** The next record to read, which may be ahead of what the view has stored. */
  next: Offset;
  counts = noCounts;
  /** The offset up to which advances were told. */
  #told: Offset;
  #isStalled = false;
  /** Where the log ended at the beginning. */
  #goal = Number.POSITIVE_INFINITY;
  readonly caughtUp: Promise<void>;
  #arrive!: () => void;
  #quiet: NodeJS.Timeout | undefined;

  constructor(partition: number, options: FollowOptions) {
    this.#partition = partition;
    this.#options = options;
    const position = options.view.position(partition);
    this.next = position.next;
    this.#told = position.offset;
    this.caughtUp = new Promise((resolve) => (this.#arrive = resolve));
  }

  async begin(): Promise<void> {
    this.#goal = (await this.#options.log.bounds(this.#partition)).end;
    this.#checkArrival();
    await this.checkStall();
  }

  async take({ records }: Batch): Promise<void> {
    for (const chunk of chunks(records)) await this.#fold(chunk);
    this.#checkArrival();
    await this.checkStall();
  }

  /** Tells of an advance, whoever folded it. */
  notice(): void {
    const { view, onAdvance, onAlarm } = this.#options;
    const head = view.position(this.#partition);
    if (head.offset <= this.#told) return;
    const from = this.#told;
    this.#told = head.offset;
    const partition = this.#partition;
    if (this.#isStalled) {
      this.#isStalled = false;
      onAlarm({ kind: "recovered", partition, head: { offset: head.offset, chain: head.chain } });
    }
    onAdvance({ partition, from, to: head.offset });
  }

  /** Invariant 3: at the log's end without a successor the view does not advance, and alarms. */
  async checkStall(): Promise<void> {
    const { log, view, onAlarm } = this.#options;
    if (this.#isStalled || !lacksSuccessor(view.position(this.#partition))) return;
    const { end } = await log.bounds(this.#partition);
    if (end > this.next) return;
    // Meanwhile another process may have folded the successor.
    const position = view.position(this.#partition);
    this.notice();
    if (!lacksSuccessor(position)) return;
    this.#isStalled = true;
    const { offset, chain, seen, skipped } = position;
    onAlarm({ kind: "stalled", partition: this.#partition, head: { offset, chain }, end, seen, skipped });
  }

  /** A log may end in a hole, which no reader sees: where nothing comes for a while, that is its end. */
  #checkArrival(): void {
    clearTimeout(this.#quiet);
    if (this.next >= this.#goal) this.#arrive();
    else this.#quiet = setTimeout(this.#arrive, quietFor).unref();
  }

  async #fold(records: readonly LogRecord[]): Promise<void> {
    const { view, file, codec, signal } = this.#options;
    const read = records.map(({ offset, value }) => ({ at: offset, verdict: codec.decodeVerdict(value) }));
    if (this.#isKnown(read)) this.#count({ ...noCounts, repeats: read.length });
    else this.#count(await file.transaction(() => view.fold(this.#partition, read), { signal }));
    this.next = Math.max(this.next, (read.at(-1)?.at ?? -1) + 1);
    this.notice();
  }

  /** Whether another process has folded all of `read`: then the write lock is left to those who need it. */
  #isKnown(read: readonly ReadVerdict[]): boolean {
    const { offset, next } = this.#options.view.position(this.#partition);
    if ((read.at(-1)?.at ?? -1) - next >= lazyRecords) return false;
    return read.every(({ verdict }) => verdict?.partition === this.#partition && verdict.offset <= offset);
  }

  #count({ repeats, gaps, foreign, unreadable }: FoldCounts): void {
    const { counts } = this;
    this.counts = {
      repeats: counts.repeats + repeats,
      gaps: counts.gaps + gaps,
      foreign: counts.foreign + foreign,
      unreadable: counts.unreadable + unreadable,
    };
  }
}

/** Whether something was read that shows that the head has a successor. A torn record may have been it. */
function lacksSuccessor({ offset, seen, skipped }: ViewPosition): boolean {
  return seen > offset || skipped > 0;
}

function* chunks(records: readonly LogRecord[]): Iterable<readonly LogRecord[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, { value }] of records.entries()) {
    if (index > start && (index - start >= chunkRecords || bytes + value.byteLength > chunkBytes)) {
      yield records.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += value.byteLength;
  }
  yield records.slice(start);
}
