import { deferred, type Deferred } from "./waiting.ts";

interface Offered<T> {
  readonly item: T;
  readonly onTaken: () => void;
  readonly taken: Deferred<boolean>;
}

/** A place for one item, between a producer that is to wait until it was taken and a consumer that waits for it. */
export class Handover<T> {
  #offered: Offered<T> | undefined;
  #taker: Deferred<T | undefined> | undefined;
  #ended: { readonly error: unknown } | "quietly" | undefined;

  /** Whether an item lies here untaken. */
  get isFull(): boolean {
    return this.#offered !== undefined;
  }

  /**
   * Resolves with true once `item` was taken, with false when it no longer will be. One at a time.
   * @param onTaken is called at the moment of taking
   */
  offer(item: T, onTaken: () => void): Promise<boolean> {
    if (this.#ended !== undefined) return Promise.resolve(false);
    const taker = this.#taker;
    if (taker !== undefined) {
      this.#taker = undefined;
      onTaken();
      taker.resolve(item);
      return Promise.resolve(true);
    }
    this.#offered = { item, onTaken, taken: deferred() };
    return this.#offered.taken.promise;
  }

  /** The next item, or undefined after {@link end}. Rejects after {@link fail}. One at a time. */
  take(): Promise<T | undefined> {
    if (this.#ended === "quietly") return Promise.resolve(undefined);
    if (this.#ended !== undefined) return Promise.reject(this.#ended.error);
    const offered = this.#offered;
    if (offered !== undefined) {
      this.#offered = undefined;
      offered.onTaken();
      offered.taken.resolve(true);
      return Promise.resolve(offered.item);
    }
    this.#taker = deferred();
    return this.#taker.promise;
  }

  /** Takes back what was offered and not taken. */
  withdraw(): void {
    this.#offered?.taken.resolve(false);
    this.#offered = undefined;
  }

  end(): void {
    this.#ended ??= "quietly";
    this.withdraw();
    this.#taker?.resolve(undefined);
    this.#taker = undefined;
  }

  fail(error: unknown): void {
    this.#ended ??= { error };
    this.withdraw();
    this.#taker?.reject(error);
    this.#taker = undefined;
  }
}
