import { isCallError } from "./call-error.ts";

/**
 * Runs `call` with a signal that fires after `timeout` ms, or with `outer`; then rejects with the reason, whether the
 * call heeds its signal or not.
 */
export async function inTime<T>(
  timeout: number,
  outer: AbortSignal | undefined,
  call: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const { signal } = ending;
  const endWithOuter = (): void => ending.abort(outer?.reason);
  const timer = setTimeout(() => ending.abort(new Error(`there was no answer within ${timeout} ms`)), timeout);
  outer?.addEventListener("abort", endWithOuter);
  try {
    return await Promise.race([(async () => call(signal))(), aborted(signal)]);
  } catch (error) {
    // A handler that heeds its signal may say so in words of its own; the reason is the better answer.
    throw signal.aborted && !isCallError(error) ? toError(signal.reason) : error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener("abort", endWithOuter);
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = (): void => reject(toError(signal.reason));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
