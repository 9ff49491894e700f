import type { Batch, LogRecord } from "@seriatim/log";
import type { Offset } from "@seriatim/protocol";
import { arrivals, turn } from "./arrivals.ts";
import { chunks, loadingChunk, steadyChunk, type ChunkLimit } from "./chunks.ts";
import type { Following, FollowOptions } from "./following.ts";
import type { FoldCounts, ReadVerdict, ViewPosition } from "./types.ts";

/** After how long without a record a reader that is behind the log's end takes itself to be there, in ms. */
const quietFor = 5_000;

/** How many records are decoded in one turn of the event loop. */
const decodedAtOnce = 1024;

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
    for (const follower of followers.values()) follower.whenReadable((applied) => follower.notice(applied));
  });
  const isBehind = (): boolean => [...followers.values()].some((follower) => follower.isBehind);
  let endLoading: (() => void) | undefined;
  try {
    for (const follower of followers.values()) await follower.begin();
    if (isBehind()) endLoading = file.beginLoading();
    const from = new Map([...followers].map(([partition, { next }]) => [partition, next]));
    const limit = (): ChunkLimit => (endLoading === undefined ? steadyChunk : loadingChunk);
    for await (const batch of arrivals(log, from, { signal, limit })) {
      const follower = followers.get(batch.partition);
      // What has to come for one partition and is folded holds up the others, which are not quiet for that.
      const heldUp = follower?.hasArrived === false ? [...followers.values()].filter((each) => !each.hasArrived) : [];
      for (const each of heldUp) each.interruptQuiet();
      await follower?.take(batch, limit());
      for (const each of heldUp) each.checkArrival();
      if (endLoading === undefined || isBehind()) continue;
      endLoading();
      endLoading = undefined;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    endLoading?.();
    unsubscribe();
    for (const follower of followers.values()) follower.hush();
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
  #arrived!: () => void;
  /** Whether it has caught up once. */
  hasArrived = false;
  #quiet: NodeJS.Timeout | undefined;
  #quietStall: NodeJS.Timeout | undefined;

  constructor(partition: number, options: FollowOptions) {
    this.#partition = partition;
    this.#options = options;
    const position = options.view.position(partition);
    this.next = position.next;
    this.#told = position.offset;
    this.caughtUp = new Promise((resolve) => (this.#arrived = resolve));
  }

  async begin(): Promise<void> {
    this.#goal = (await this.#options.log.bounds(this.#partition)).end;
    this.checkArrival();
    await this.#checkStall(this.#position());
  }

  /** Whether it has so much to read before it has caught up for the first time that nobody is served yet. */
  get isBehind(): boolean {
    return !this.hasArrived && Number.isFinite(this.#goal) && this.#goal - this.next >= loadingChunk.records;
  }

  async take({ records }: Batch, limit: ChunkLimit): Promise<void> {
    this.hush();
    let position: Progress | undefined;
    for (const chunk of chunks(records, limit)) position = await this.#fold(chunk);
    this.checkArrival();
    if (position !== undefined) await this.#checkStall(position);
  }

  /** Stops waiting for silence. */
  hush(): void {
    this.interruptQuiet();
    clearTimeout(this.#quietStall);
  }

  /** Until {@link checkArrival}. */
  interruptQuiet(): void {
    clearTimeout(this.#quiet);
  }

  /**
   * For calls from outside of `run`, where nobody takes an error: in the rare case that another process is recovering
   * the file, `work` is done after that. Whatever else is wrong with the file, the next fold fails with it.
   * @param work is given the offset that the view has applied.
   */
  whenReadable(work: (applied: Offset) => void): void {
    const { view, file, signal } = this.#options;
    if (!file.isOpen) return;
    const probe = (): Offset => view.applied(this.#partition);
    let applied: Offset;
    try {
      applied = probe();
    } catch {
      file.read(probe, { signal }).then(work, () => undefined);
      return;
    }
    work(applied);
  }

  /** Tells of an advance up to the offset applied, whoever folded it. */
  notice(applied: Offset): void {
    const { onAdvance, onAlarm } = this.#options;
    if (applied <= this.#told) return;
    const from = this.#told;
    this.#told = applied;
    const partition = this.#partition;
    if (this.#isStalled) {
      this.#isStalled = false;
      const { offset, chain } = this.#position();
      onAlarm({ kind: "recovered", partition, head: { offset, chain } });
    }
    onAdvance({ partition, from, to: applied });
  }

  #position(): ViewPosition {
    return this.#options.view.position(this.#partition);
  }

  /** Invariant 3: at the log's end without a successor the view does not advance, and alarms. */
  async #checkStall(position: Progress): Promise<void> {
    const { log } = this.#options;
    clearTimeout(this.#quietStall);
    if (this.#isStalled || !lacksSuccessor(position)) return;
    const { end } = await log.bounds(this.#partition);
    if (end <= this.next) this.#alarm(end);
    else this.#quietStall = setTimeout(() => this.whenReadable(() => this.#alarm(end)), quietFor).unref();
  }

  #alarm(end: Offset): void {
    const { signal, onAlarm } = this.#options;
    if (signal.aborted) return;
    // Meanwhile another process may have folded the successor.
    const { offset, chain, seen, skipped } = this.#position();
    this.notice(offset);
    if (!lacksSuccessor({ offset, seen, skipped })) return;
    this.#isStalled = true;
    onAlarm({ kind: "stalled", partition: this.#partition, head: { offset, chain }, end, seen, skipped });
  }

  /** A log may end in a hole, which no reader sees: where nothing comes for a while, that is its end. */
  checkArrival(): void {
    this.interruptQuiet();
    if (this.hasArrived) return;
    if (this.next >= this.#goal) this.#arrive();
    else this.#quiet = setTimeout(() => this.#arrive(), quietFor).unref();
  }

  #arrive(): void {
    this.hasArrived = true;
    this.#arrived();
  }

  /** Resolves with where the view stands then. */
  async #fold(records: readonly LogRecord[]): Promise<Progress> {
    const { view, file, signal } = this.#options;
    const read = await this.#decode(records);
    let position = this.#position();
    if (isKnown(read, this.#partition, position)) this.#count({ ...noCounts, repeats: read.length });
    else {
      const result = await file.transaction(() => view.fold(this.#partition, read), { signal });
      view.noteApplied(this.#partition, result.applied);
      this.#count(result);
      ({ position } = result);
    }
    this.next = Math.max(this.next, (read.at(-1)?.at ?? -1) + 1);
    this.notice(position.offset);
    return position;
  }

  async #decode(records: readonly LogRecord[]): Promise<ReadVerdict[]> {
    const { codec } = this.#options;
    const read: ReadVerdict[] = [];
    for (const { offset, value } of records) {
      if (read.length > 0 && read.length % decodedAtOnce === 0) await turn();
      read.push({ at: offset, verdict: codec.decodeVerdict(value) });
    }
    if (read.length > decodedAtOnce) await turn();
    return read;
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

type Progress = Pick<ViewPosition, "offset" | "seen" | "skipped">;

/** Whether another process has folded all of `read`: then the write lock is left to those who need it. */
function isKnown(read: readonly ReadVerdict[], partition: number, { offset, next }: ViewPosition): boolean {
  if ((read.at(-1)?.at ?? -1) - next >= lazyRecords) return false;
  return read.every(({ verdict }) => verdict?.partition === partition && verdict.offset <= offset);
}

/** Whether something was read that shows that the head has a successor. A torn record may have been it. */
function lacksSuccessor({ offset, seen, skipped }: Progress): boolean {
  return seen > offset || skipped > 0;
}
