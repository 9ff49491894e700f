import type { Coordinator, RunOptions, RunResult, Transaction } from "@seriatim/client";
import { deferred, type Deferred } from "../deferred.ts";

/** Ends the function of a transaction that is not to commit. */
class Abandoned extends Error {
  constructor() {
    super("the transaction was abandoned");
    this.name = "Abandoned";
  }
}

/** What was read, as it was asked for. */
export type Read =
  { readonly key: string } | { readonly range: object; readonly limit: number; readonly reverse: boolean };

/**
 * A transaction that stays open from one tool call to the next: a run of one attempt, whose function waits for its end.
 * Uses of it happen one after another, in the order in which they came.
 */
export class HeldTransaction {
  readonly id: string;
  readonly begun = new Date();
  readonly reads: Read[] = [];
  readonly writes = new Map<string, "put" | "delete">();
  /** Names of what was deferred. */
  readonly effects: string[] = [];
  readonly #tx: Transaction;
  readonly #result: Promise<RunResult<void>>;
  readonly #ended: Deferred<void>;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(id: string, tx: Transaction, result: Promise<RunResult<void>>, ended: Deferred<void>) {
    this.id = id;
    this.#tx = tx;
    this.#result = result;
    this.#ended = ended;
  }

  /** @throws what the coordinator's `run` does before it calls its function. */
  static async begin(
    coordinator: Coordinator,
    id: string,
    options: Omit<RunOptions, "id" | "attempts">,
  ): Promise<HeldTransaction> {
    const [opened, ended] = [deferred<Transaction>(), deferred<void>()];
    const result = coordinator.run({ ...options, attempts: 1 }, (tx) => {
      opened.resolve(tx);
      return ended.promise;
    });
    result.catch(opened.reject);
    return new HeldTransaction(id, await opened.promise, result, ended);
  }

  /** Why it can no longer commit, as far as it is known; undefined while nothing speaks against it. */
  get overwritten(): string | undefined {
    const { aborted, reason } = this.#tx.signal;
    return aborted ? messageOf(reason) : undefined;
  }

  /** Calls `listener` once, as soon as it can no longer commit. */
  onOverwritten(listener: () => void): void {
    this.#tx.signal.addEventListener("abort", listener, { once: true });
  }

  use<T>(work: (tx: Transaction) => T | Promise<T>): Promise<T> {
    const done = this.#last.then(() => work(this.#tx));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** After what was begun with it. @throws what the coordinator's `run` does. */
  async commit(): Promise<RunResult<void>> {
    await this.#last;
    this.#ended.resolve();
    return this.#result;
  }

  async abandon(): Promise<void> {
    this.#ended.reject(new Abandoned());
    await this.#result.catch(() => undefined);
  }
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
