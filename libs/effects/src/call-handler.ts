import { isCallError } from "./call-error.ts";
import type { CallContext, Handler, Reconciled } from "./handler.ts";
import { inTime } from "./in-time.ts";
import { decodeJson, encodeJson } from "./json.ts";

/** What came of one call. */
export type CallOutcome =
  | {
      readonly kind: "done";
      /** What the handler returned, as JSON in UTF-8; null when nothing. */
      readonly result: Uint8Array | null;
      /** Why what it returned is not kept. */
      readonly unkept?: string;
    }
  /** See {@link CallFault}. `delay`: the least pause before the next call, in ms. */
  | { readonly kind: "not_done"; readonly error: string; readonly delay: number }
  | { readonly kind: "refused"; readonly error: string }
  | { readonly kind: "unsettled"; readonly error: string; readonly delay: number };

export interface CallOptions {
  /** Ends the call early; what became of it is then not known. */
  readonly signal?: AbortSignal;
  /** The longest result that is kept, in bytes. Default 64 KiB. */
  readonly resultBytes?: number;
}

/** The longest pause that a handler may ask for, in ms: a year. */
const longestDelay = 365 * 24 * 3_600_000;

/** The longest error text that is kept, in characters. */
const longestError = 1_000;

/**
 * Calls a handler, for no longer than its time-out: a handler that does not heed its signal is waited for no longer, and
 * what became of its call is not known. Never rejects.
 * @param args JSON in UTF-8.
 */
export async function callHandler(
  handler: Handler,
  args: Uint8Array,
  context: Omit<CallContext, "signal">,
  options: CallOptions = {},
): Promise<CallOutcome> {
  const decoded = decodeJson(args);
  if (decoded === undefined) return { kind: "refused", error: "the effect's arguments are not JSON" };
  if (options.signal?.aborted === true)
    return { kind: "not_done", error: "it was not called: the caller stops", delay: 0 };
  try {
    const value = await inTime(handler.timeout, options.signal, (signal) =>
      handler.call(decoded.value, { ...context, signal }),
    );
    return { kind: "done", ...encodeJson(value, options.resultBytes) };
  } catch (error) {
    return outcomeOf(error);
  }
}

/**
 * Asks a handler's `reconcile` what became of an earlier call; `unknown` where it has none, or it fails or answers
 * something else. Never rejects.
 */
export async function reconcile(
  handler: Handler,
  args: Uint8Array,
  context: Omit<CallContext, "signal">,
  options: CallOptions = {},
): Promise<CallOutcome> {
  const decoded = decodeJson(args);
  if (decoded === undefined || handler.reconcile === undefined)
    return { kind: "unsettled", error: "the handler cannot say what became of an earlier call", delay: 0 };
  try {
    const found = await inTime(handler.timeout, options.signal, (signal) =>
      handler.reconcile?.(decoded.value, { ...context, signal }),
    );
    return reconciled(found, options.resultBytes);
  } catch (error) {
    return { kind: "unsettled", error: `reconcile failed: ${textOf(error)}`, delay: 0 };
  }
}

function reconciled(found: Reconciled | undefined, resultBytes: number | undefined): CallOutcome {
  switch (found?.state) {
    case "done":
      return { kind: "done", ...encodeJson(found.result, resultBytes) };
    case "not_done":
      return { kind: "not_done", error: "reconcile says that it has not happened", delay: 0 };
    case "unknown":
      return { kind: "unsettled", error: "reconcile does not know whether it has happened", delay: 0 };
    case undefined:
    default:
      return { kind: "unsettled", error: 'reconcile must answer { state: "done" | "not_done" | "unknown" }', delay: 0 };
  }
}

function outcomeOf(error: unknown): CallOutcome {
  const text = textOf(error);
  if (!isCallError(error)) return { kind: "unsettled", error: text, delay: 0 };
  if (error.fault === "refused") return { kind: "refused", error: text };
  return { kind: error.fault, error: text, delay: delayOf(error.delay) };
}

/** As it can be reported: a handler may take it from an answer, such as a Retry-After that is no number. */
function delayOf(delay: unknown): number {
  return typeof delay === "number" && delay > 0 ? Math.min(delay, longestDelay) : 0;
}

/** An error's message, as short and whole as the log holds it. */
export function textOf(error: unknown): string {
  const text = textFrom(error).toWellFormed();
  return text.length <= longestError ? text : `${text.slice(0, longestError - 1).toWellFormed()}…`;
}

/** Anything can be thrown, also what has no text. */
function textFrom(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message || error.name : error);
  } catch {
    return "what was thrown has no text";
  }
}
