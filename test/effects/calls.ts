import type { CallContext } from "@seriatim/effects";

/** A call's context, for handlers that are called without a worker. */
export function contextOf(): Omit<CallContext, "signal"> {
  const place = { partition: 0, offset: 5, attempt: 1 };
  return { key: "ab".repeat(32), name: "it", side: "forward", intent: "intent-1", ...place, forward: null };
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), "utf8");
}
