import { setTimeout as delay } from "node:timers/promises";
import { isFailure } from "@seriatim/protocol";
import type { Logger } from "pino";

export interface GoingOptions {
  readonly log: Logger;
  /** What is logged when the log cannot be reached. */
  readonly away: string;
  readonly signal: AbortSignal;
}

/** In ms. */
const firstPause = 250;
const longestPause = 10_000;

/**
 * Does a service's work until the signal fires. Once it was ready, a broker that goes away ends nothing: `begin` is
 * called again, for as long as it takes. It calls `onReady` with what to log about the start.
 * @throws Defect and Failure that trying again does not cure: `log_changed`, `unknown_rules` and their like; whatever
 *   the first start fails with.
 */
export async function keepGoing(
  { log, away, signal }: GoingOptions,
  begin: (onReady: (about: object) => void) => Promise<void>,
): Promise<void> {
  let isReady = false;
  let pause = firstPause;
  while (!signal.aborted) {
    try {
      await begin((about) => {
        log.info(about, isReady ? "started again" : "started");
        pause = firstPause;
        isReady = true;
      });
    } catch (error) {
      if (signal.aborted) break;
      const passes = isReady && isFailure(error, "unavailable") && error.canRetry;
      if (!passes) {
        log.fatal(isFailure(error) ? { code: error.code, reason: error.message } : { err: error }, "cannot go on");
        throw error;
      }
      log.warn({ reason: error.message, pause }, away);
      await delay(pause, undefined, { signal }).catch(() => undefined);
      pause = Math.min(longestPause, pause * 2);
    }
  }
  log.info("stopped");
}
