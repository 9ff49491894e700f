import { Failure, type Offset, type Version } from "@seriatim/protocol";
import type { Advance } from "@seriatim/client";
import type { View } from "@seriatim/view";

const defaultTimeout = 30_000;

/** Tells a space's listeners how its view moves on, and lets them wait for a version. */
export class Advances {
  readonly #view: View;
  readonly #partitions: number;
  readonly #listeners = new Set<(advance: Advance) => void>();
  readonly #waiting = new Set<() => void>();
  readonly #onWanted: () => void;
  #seen: Offset[] = [];
  #ended: Error | undefined;

  /** @param onWanted is called when `isWanted` has changed. */
  constructor(view: View, partitions: number, onWanted: () => void = () => undefined) {
    this.#view = view;
    this.#partitions = partitions;
    this.#onWanted = onWanted;
  }

  /** Whether anybody listens or waits. */
  get isWanted(): boolean {
    return this.#listeners.size + this.#waiting.size > 0;
  }

  /** Looks how far the view has come, whoever moved it, and tells the listeners. */
  look(): void {
    if (this.#ended !== undefined || !this.isWanted) return;
    for (const [partition, from] of this.#seen.entries()) {
      const to = this.#view.applied(partition);
      if (to <= from) continue;
      this.#seen[partition] = to;
      // The same one for all: what it has written is then read once.
      const advance = { partition, from, to };
      for (const listener of this.#listeners) listener(advance);
    }
    for (const check of this.#waiting) check();
  }

  subscribe(listener: (advance: Advance) => void): () => void {
    const entry = (advance: Advance): void => listener(advance);
    this.#add(this.#listeners, entry);
    return () => this.#delete(this.#listeners, entry);
  }

  /** See `Space.reached`. */
  async reached(
    version: Version,
    options: { readonly signal?: AbortSignal; readonly timeout?: number } = {},
  ): Promise<void> {
    const { signal, timeout = defaultTimeout } = options;
    if (this.#isApplied(version)) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: Error): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#delete(this.#waiting, check);
        if (error === undefined) resolve();
        else reject(error);
      };
      const check = (): void => {
        if (this.#ended !== undefined) settle(this.#ended);
        else if (this.#isApplied(version)) settle();
      };
      const onAbort = (): void =>
        settle(new Failure("aborted", `waiting for version ${nameOf(version)} was aborted`, { cause: signal?.reason }));
      const timer = setTimeout(() => settle(this.#late(version, timeout)), timeout);
      signal?.addEventListener("abort", onAbort);
      this.#add(this.#waiting, check);
      if (signal?.aborted === true) onAbort();
      else check();
    });
  }

  /** Ends everybody's waiting with `error`, now and from now on. */
  end(error: Error): void {
    this.#ended ??= error;
    for (const check of this.#waiting) check();
  }

  /** @throws the error with which it ended. */
  assertGoing(): void {
    if (this.#ended !== undefined) throw this.#ended;
  }

  /** What the view applied before the first one came is no news. */
  #add<T>(set: Set<T>, entry: T): void {
    const wasWanted = this.isWanted;
    if (!wasWanted)
      this.#seen = Array.from({ length: this.#partitions }, (_, partition) => this.#view.applied(partition));
    set.add(entry);
    if (!wasWanted) this.#onWanted();
  }

  #delete<T>(set: Set<T>, entry: T): void {
    if (set.delete(entry) && !this.isWanted) this.#onWanted();
  }

  #isApplied({ partition, offset }: Version): boolean {
    return this.#view.applied(partition) >= offset;
  }

  #late(version: Version, timeout: number): Failure {
    const at = this.#view.applied(version.partition);
    return new Failure(
      "not_yet",
      `version ${nameOf(version)} was not applied within ${timeout} ms; the view stands at ${version.partition}@${at}: wait longer, or see whether a sequencer runs`,
      { canRetry: true },
    );
  }
}

/** `partition@offset`, as people and refusals write a version. */
export function nameOf({ partition, offset }: Version): string {
  return `${partition}@${offset}`;
}
