import { Failure, fromBytes } from "@seriatim/protocol";
import type { Isolation, Key, KeyRange, Offset } from "@seriatim/protocol";
import type { Advance } from "@seriatim/view";
import type { ReadSet } from "./read-set.ts";
import type { Space } from "./space.ts";
import type { WriteSet } from "./write-set.ts";
import { writtenIn } from "./written.ts";

export interface Watched {
  readonly isolation: Isolation;
  readonly reads: ReadSet;
  readonly writes: WriteSet;
  /** Undefined while no key was touched. */
  readonly partition: () => number | undefined;
  readonly snapshotOf: (partition: number) => Offset;
}

/**
 * Tells a transaction as soon as it can no longer commit. It costs nothing until its signal is asked for: then it looks
 * at everything that the transaction rests on so far, and from there on at each advance and at each read.
 *
 * It is a hint: what it misses, the verdict does not.
 */
export class Watch {
  readonly #space: Space;
  readonly #watched: Watched;
  readonly #outer: AbortSignal | undefined;
  readonly #controller = new AbortController();
  readonly #onOuter = () => this.#controller.abort(this.#outer?.reason);
  #unsubscribe: (() => void) | undefined;
  #overwritten: Key | undefined;
  #stopped = false;

  constructor(space: Space, watched: Watched, outer: AbortSignal | undefined) {
    this.#space = space;
    this.#watched = watched;
    this.#outer = outer;
  }

  /** The key whose overwriting by somebody else has made the signal fire. */
  get overwritten(): Key | undefined {
    return this.#overwritten;
  }

  signal(): AbortSignal {
    if (this.#unsubscribe === undefined && !this.#stopped) this.#start();
    return this.#controller.signal;
  }

  noteKey(key: Key): void {
    if (this.#isIdle || !this.#restsOn(key)) return;
    const version = this.#space.view.lastWrite(key);
    if (version > this.#snapshot()) this.#fire(key, version);
  }

  noteRange(range: KeyRange): void {
    if (this.#isIdle || this.#watched.isolation !== "serializable") return;
    const [newest] = this.#space.view.newestIn(range, this.#snapshot(), 1);
    if (newest !== undefined) this.#fire(newest.key, newest.version);
  }

  stop(): void {
    this.#stopped = true;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#outer?.removeEventListener("abort", this.#onOuter);
  }

  get #isIdle(): boolean {
    return this.#unsubscribe === undefined || this.#controller.signal.aborted;
  }

  #start(): void {
    // Before looking back, so that nothing falls between.
    this.#unsubscribe = this.#space.subscribe((advance) => this.#look(advance));
    if (this.#outer?.aborted === true) this.#onOuter();
    else this.#outer?.addEventListener("abort", this.#onOuter, { once: true });
    const { reads, writes } = this.#watched;
    for (const { key } of [...reads.points, ...writes.writes]) this.noteKey(key);
    for (const range of reads.ranges) this.noteRange(range);
  }

  #look(advance: Advance): void {
    if (this.#isIdle || advance.partition !== this.#watched.partition()) return;
    const snapshot = this.#snapshot();
    for (const { key, version } of writtenIn(this.#space.view, advance))
      if (version > snapshot && this.#restsOn(key)) return this.#fire(key, version);
  }

  /** As the sequencer will see it: at level snapshot only its writes count, at level none nothing does. */
  #restsOn(key: Key): boolean {
    const { isolation, reads, writes } = this.#watched;
    if (isolation === "none") return false;
    const isSeen = writes.get(key)?.blind === false;
    return isSeen || (isolation === "serializable" && reads.covers(key));
  }

  #snapshot(): Offset {
    return this.#watched.snapshotOf(this.#watched.partition() ?? 0);
  }

  #fire(key: Key, version: Offset): void {
    const partition = this.#watched.partition() ?? 0;
    const decision = this.#space.view.decision(partition, version);
    const writer = `agent ${JSON.stringify(decision?.agent ?? null)} (intent ${decision?.id ?? "unknown"})`;
    this.#overwritten = key;
    this.#controller.abort(
      new Failure(
        "aborted",
        `${JSON.stringify(fromBytes(key))} was changed by ${writer} at version ${partition}@${version} while this ` +
          "transaction was running, so that it can no longer commit; stop, and read it again in the next attempt",
      ),
    );
  }
}
