/** A promise that is settled from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let settle: Pick<Deferred<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}

/** Thrown by {@link before} when the time is up. What it waited for goes on, unheard. */
export class Late extends Error {}

/** `work`, or {@link Late} once the monotonic clock reaches `deadline` (ms). */
export async function before<T>(deadline: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const left = Math.max(0, deadline - performance.now());
    timer = setTimeout(() => reject(new Late("no answer in time")), left);
  });
  // When the deadline wins, nobody hears how the work ended.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after `ms`, or as soon as `signal` fires. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

/** `work`, or undefined once `signal` fires. What it waited for goes on, unheard. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  work.catch(() => undefined);
  const over = deferred<undefined>();
  const end = (): void => over.resolve(undefined);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

const firstPauseMs = 50;
const longestPauseMs = 500;

/** How long to wait before attempt number `attempt` (from 1) is repeated: doubling, with jitter. */
export function pauseAfter(attempt: number): number {
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1));
  return full * (0.5 + Math.random() / 2);
}

/** Repeats `attempt` until it succeeds, fails for good, or `deadline` is reached: then the last error is thrown. */
export async function persist<T>(
  deadline: number,
  isFinal: (error: unknown) => boolean,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await before(deadline, attempt());
    } catch (error) {
      const wait = pauseAfter(count);
      if (isFinal(error) || error instanceof Late || performance.now() + wait >= deadline) throw error;
      await pause(wait);
    }
  }
}
