import { Failure } from "@seriatim/protocol";
import { isBusy } from "./errors.ts";

export interface WaitOptions {
  /** Ends the wait: Failure `aborted`. */
  readonly signal?: AbortSignal;
  /** How many ms after the call to give up: Failure `unavailable`, nothing was done. Default 30,000. */
  readonly deadline?: number;
}

export const defaultDeadline = 30_000;

/** A longer time-out would fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Calls back after 0 to 2 ms. Uniform and not exponential: whoever has waited longest must not be the one that asks
 * least often, or a busy process starves the others.
 */
export function soon(callback: () => void): void {
  const delay = Math.floor(Math.random() * 3);
  if (delay === 0) setImmediate(callback);
  else setTimeout(callback, delay);
}

interface Turn {
  /** Does the work and settles the caller's promise. @throws when another connection is in the way. */
  take(): void;
  fail(error: unknown): void;
}

/**
 * Work that needs the lock of one file, first come, first served. At most one piece of it is done in a turn of the
 * event loop, so that a long queue holds up neither the timers and sockets of this process nor the other processes.
 */
export class Queue {
  readonly #turns = new Set<Turn>();
  #isPaused = false;

  /** Does `work` as soon as it is its turn and no other connection is in the way. */
  run<T>(work: () => T, describe: () => string, options: WaitOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { signal, deadline = defaultDeadline } = options;
      if (signal?.aborted === true) {
        reject(abortedFailure(describe(), signal));
        return;
      }
      let cease: (() => void) | undefined;
      const settle = (how: () => void): void => {
        how();
        this.#turns.delete(turn);
        cease?.();
      };
      const turn: Turn = { take: () => settle(() => resolve(work())), fail: (error) => settle(() => reject(error)) };
      this.#turns.add(turn);
      this.#step();
      // Nearly always it was done at once: a timer costs as much as a small transaction.
      if (this.#turns.has(turn)) cease = limit(turn, describe, deadline, signal);
    });
  }

  /** Fails whatever still waits. */
  clear(error: unknown): void {
    for (const turn of this.#turns) turn.fail(error);
  }

  #step(): void {
    if (this.#isPaused) return;
    const [turn] = this.#turns;
    if (turn === undefined) return;
    this.#isPaused = true;
    let pause = soon;
    try {
      turn.take();
      pause = setImmediate;
    } catch (error) {
      if (!isBusy(error)) {
        turn.fail(error);
        pause = setImmediate;
      }
    }
    pause(() => {
      this.#isPaused = false;
      this.#step();
    });
  }
}

/** Ends the wait of a turn by its deadline or its signal, until what is returned is called. */
function limit(turn: Turn, describe: () => string, deadline: number, signal: AbortSignal | undefined): () => void {
  const onAbort = (): void => turn.fail(abortedFailure(describe(), signal));
  const timer = setTimeout(() => turn.fail(lateFailure(describe(), deadline)), Math.min(deadline, longestTimer));
  signal?.addEventListener("abort", onAbort);
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
}

export function abortedFailure(what: string, signal: AbortSignal | undefined): Failure {
  return new Failure("aborted", `${what} was ended by the caller's signal`, { cause: signal?.reason });
}

export function lateFailure(what: string, deadline: number): Failure {
  const message = `${what} did not get the lock within ${deadline} ms; see which process holds it, and try again`;
  return new Failure("unavailable", message, { canRetry: true });
}
