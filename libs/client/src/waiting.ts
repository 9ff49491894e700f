import { Failure } from "@seriatim/protocol";

export interface Backoff {
  /** In ms. */
  readonly base: number;
  /** In ms. */
  readonly cap: number;
}

/** Calls `wake` once after `ms`, unless what it returns is called before. */
export type Schedule = (wake: () => void, ms: number) => () => void;

export const schedule: Schedule = (wake, ms) => {
  const timer = setTimeout(wake, ms);
  return () => clearTimeout(timer);
};

/** Full jitter: those who lost against each other must not meet again. `retry` counts from 0. */
export function backoffDelay({ base, cap }: Backoff, retry: number, random: () => number): number {
  return random() * Math.min(cap, base * 2 ** retry);
}

/** @throws Failure `aborted`, saying that nothing was written. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw aborted(signal);
}

export function aborted(signal: AbortSignal | undefined): Failure {
  return new Failure("aborted", "the caller's signal ended the call; nothing was written", { cause: signal?.reason });
}

export type Ending = "settled" | "late" | "aborted";

/**
 * Waits for `promise` to fulfil, for at most `timeout` ms or until `signal` fires. The promise itself goes on; that it
 * fails after the wait is over is nobody's business any more.
 */
export async function settledWithin(
  promise: Promise<unknown>,
  timeout: number,
  signal: AbortSignal | undefined,
  after: Schedule,
): Promise<Ending> {
  if (signal?.aborted === true) {
    promise.catch(() => undefined);
    return "aborted";
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => finish("aborted");
    const cancel = after(() => finish("late"), timeout);
    signal?.addEventListener("abort", onAbort, { once: true });
    const cease = () => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
    function finish(ending: Ending) {
      cease();
      resolve(ending);
    }
    promise.then(
      () => finish("settled"),
      (error: unknown) => {
        cease();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/** @throws Failure `aborted` when the signal fires meanwhile. */
export async function sleep(ms: number, signal: AbortSignal | undefined, after: Schedule): Promise<void> {
  const ending = await settledWithin(new Promise<never>(() => undefined), ms, signal, after);
  if (ending === "aborted") throw aborted(signal);
}

/** Lets the event loop go round once, in the midst of long work. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
