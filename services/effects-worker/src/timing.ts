import { setTimeout as delay } from "node:timers/promises";

/** Where a worker has time and chance from. */
export interface Timing {
  /** In ms, from any beginning; does not step back. */
  now(): number;
  /** In ms since 1970; may step back. Nothing may rest on it that the log does not decide. */
  wallTime(): number;
  /** Resolves after `ms`, or when `signal` fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number;
}

/** The process's own. */
export const processTiming: Timing = {
  now: () => performance.now(),
  wallTime: Date.now,
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  random: Math.random,
};
