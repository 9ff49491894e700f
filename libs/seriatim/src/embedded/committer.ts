import type { Appended } from "@seriatim/client";
import type { Append } from "./append.ts";
import { FairQueue, Source } from "./fair-queue.ts";

/** The most that one transaction appends: what came in while the one before it ran. */
const mostRecords = 128;
const mostBytes = 1024 * 1024;

/**
 * Commits, in one transaction, the records that `take` gives it once that transaction has begun; asked again, after a
 * rollback, it gives the same. Resolves with what was decided of each, as far as that is known.
 */
export type Commit = (take: () => readonly Uint8Array[]) => Promise<readonly (Appended | undefined)[]>;

/** How many records this process has committed, in how many transactions; those of its followers too. */
export interface Committed {
  readonly transactions: number;
  readonly records: number;
}

/** Group commit: all that came in while the last transaction ran goes into the next one, each process in its turn. */
export class Committer {
  readonly #commit: Commit;
  readonly #queue = new FairQueue<Append>();
  readonly #own = new Source<Append>();
  /** Whether the last group had appends of this process, which need no time to get here. */
  #hadOwn = false;
  #isFlushing = false;
  #committed: Committed = { transactions: 0, records: 0 };
  /** Whether other processes may have sent something that is still to be read. */
  readonly #hasPeers: () => boolean;

  constructor(commit: Commit, hasPeers: () => boolean) {
    this.#commit = commit;
    this.#hasPeers = hasPeers;
  }

  /** Whether anything waits that has not had its answer another way. */
  get isNeeded(): boolean {
    return this.#queue.some(({ isSettled }) => !isSettled);
  }

  get committed(): Committed {
    return this.#committed;
  }

  /** @param source where it comes from, when that is another process. */
  add(append: Append, source: Source<Append> = this.#own): void {
    this.#queue.add(source, append);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // Whoever comes in the same turn comes along.
    const begin = (): void => void this.#flush();
    if (this.#hasPeers()) setImmediate(begin);
    else process.nextTick(begin);
  }

  /** Commits nothing more of what waits of `source`. */
  drop(source: Source<Append>): void {
    this.#queue.drop(source);
  }

  /** Never rejects. */
  async #flush(): Promise<void> {
    while (!this.#queue.isEmpty) {
      let group: readonly Append[] | undefined;
      const taken = (): readonly Append[] => (group ??= this.#take());
      try {
        const decided = this.isNeeded ? await this.#commit(() => taken().map(({ record }) => record)) : [];
        if (taken().length > 0) this.#count(taken().length);
        for (const [index, append] of taken().entries()) append.durable(decided[index]);
      } catch (error) {
        for (const append of taken()) append.failed(error);
      }
    }
    this.#isFlushing = false;
  }

  #count(records: number): void {
    const { transactions, records: before } = this.#committed;
    this.#committed = { transactions: transactions + 1, records: before + records };
  }

  #take(): readonly Append[] {
    let count = 0;
    let bytes = 0;
    const fits = ({ record, isSettled }: Append): boolean => {
      if (isSettled) return true;
      count += 1;
      bytes += record.length;
      return count === 1 || (count <= mostRecords && bytes <= mostBytes);
    };
    const own = this.#own.waiting.length;
    // Or it would be in each group, and the others, who need the time, in every other one.
    const group = this.#queue.take(fits, this.#hadOwn ? this.#own : undefined);
    this.#hadOwn = this.#own.waiting.length < own;
    return group.filter(({ isSettled }) => !isSettled);
  }
}
