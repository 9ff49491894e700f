import type { CallFault } from "../call-error.ts";

/**
 * What a status says of the effect, by the IETF's draft on the Idempotency-Key header; undefined when it is done.
 *
 * 409: a call with this key is still being processed. 422: the key was used with another payload. 400: the receiver
 * wants another key or request. 408, 425 and 429 and what is the receiver's own fault (5xx) may pass. A redirect is not
 * followed, and everything else will not be another time either.
 */
export function faultOf(status: number): CallFault | undefined {
  if (status >= 200 && status <= 299) return undefined;
  if (status === 425 || status === 429) return "not_done";
  if (status === 409 || status === 408 || status >= 500) return "unsettled";
  return "refused";
}

/** A pause that a receiver may ask for at most, in ms: it must not put an effect off for good. */
const longestDelay = 10 * 60_000;

/** The pause that `Retry-After` asks for, in ms; 0 without one. */
export function retryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  const seconds = Number(header);
  const delay = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000;
  return delay > 0 ? Math.min(delay, longestDelay) : 0;
}
