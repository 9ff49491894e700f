import { claimsId, type Digest, type Offset } from "@seriatim/protocol";
import type { Decision } from "@seriatim/view";
import type { Space } from "./space.ts";
import type { Schedule } from "./waiting.ts";

/** An id whose decision is waited for. */
export interface Awaited {
  readonly partition: number;
  readonly id: string;
  /** Of the records sent under the id: what they get counts even where it claims no id (`invalid`, `too_old`). */
  readonly digests: readonly Digest[];
  /** How far the view had come before the first of them was sent; moved on by a wait that was in vain. */
  since: Offset;
}

interface Waiter {
  readonly awaited: Awaited;
  readonly resolve: (decision: Decision | undefined) => void;
}

/**
 * Finds in the view what was decided of intents, by id and digest and never by offset alone (invariant 9).
 *
 * All that wait share one look at each new decision. There is a subscription only while somebody waits.
 */
export class Verdicts {
  readonly #space: Space;
  readonly #schedule: Schedule;
  readonly #waiters = new Set<Waiter>();
  /** The offset up to which each partition was looked through for those who wait. */
  readonly #looked = new Map<number, Offset>();
  #unsubscribe: (() => void) | undefined;
  #closed = false;

  constructor(space: Space, schedule: Schedule) {
    this.#space = space;
    this.#schedule = schedule;
  }

  /**
   * The decision that settles the id: the one that claims it, by whoever's record, or one of these records' own that
   * claims none. Undefined after `timeout` ms, when `signal` fires, or once closed.
   */
  async await(awaited: Awaited, timeout: number, signal?: AbortSignal): Promise<Decision | undefined> {
    const from = this.#space.view.applied(awaited.partition);
    const known = this.#find(awaited);
    if (known !== undefined || this.#closed || signal?.aborted === true || timeout <= 0) return known;
    return new Promise((resolve) => {
      const finish = (decision: Decision | undefined) => {
        cancelTimeout();
        signal?.removeEventListener("abort", giveUp);
        awaited.since = this.#looked.get(awaited.partition) ?? awaited.since;
        this.#remove(waiter);
        resolve(decision);
      };
      const giveUp = () => finish(undefined);
      const waiter: Waiter = { awaited, resolve: finish };
      const cancelTimeout = this.#schedule(giveUp, timeout);
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#add(waiter, from);
    });
  }

  /** Ends every wait. */
  close(): void {
    this.#closed = true;
    for (const { resolve } of this.#waiters) resolve(undefined);
  }

  #find({ partition, id, digests, since }: Awaited): Decision | undefined {
    const { view } = this.#space;
    const claim = view.decisionOf(id, partition);
    if (claim !== undefined) return claim;
    const upTo = view.applied(partition);
    for (const decision of view.decisions(partition, since, upTo))
      if (digests.includes(decision.digest)) return decision;
    return undefined;
  }

  /** @param from how far the view had come before it was looked at for this waiter: others may have folded since. */
  #add(waiter: Waiter, from: Offset): void {
    const { partition } = waiter.awaited;
    this.#waiters.add(waiter);
    this.#unsubscribe ??= this.#space.subscribe((advance) => this.#look(advance.partition));
    // Whoever waits already has been looked for up to here, or will be: only the first to wait sets the mark.
    if (!this.#looked.has(partition)) this.#looked.set(partition, from);
    this.#look(partition);
  }

  #remove(waiter: Waiter): void {
    const { partition } = waiter.awaited;
    this.#waiters.delete(waiter);
    if (!this.#isAwaited(partition)) this.#looked.delete(partition);
    if (this.#waiters.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #isAwaited(partition: number): boolean {
    for (const { awaited } of this.#waiters) if (awaited.partition === partition) return true;
    return false;
  }

  #look(partition: number): void {
    const from = this.#looked.get(partition);
    if (from === undefined) return;
    const { view } = this.#space;
    const upTo = view.applied(partition);
    this.#looked.set(partition, Math.max(from, upTo));
    for (const decision of view.decisions(partition, from, upTo)) this.#settle(decision);
  }

  #settle(decision: Decision): void {
    for (const { awaited, resolve } of this.#waiters) {
      if (awaited.partition !== decision.partition) continue;
      const isClaim = decision.id === awaited.id && claimsId(decision.outcome);
      if (!isClaim && !awaited.digests.includes(decision.digest)) continue;
      // Of several claims the first counts, and a repeat refers to it.
      resolve(this.#space.view.decisionOf(awaited.id, awaited.partition) ?? decision);
    }
  }
}
