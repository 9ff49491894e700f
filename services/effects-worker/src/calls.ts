import {
  callHandler,
  decodeJson,
  idempotencyKey,
  reconcile,
  type CallContext,
  type CallOutcome,
  type ForwardCall,
  type Handler,
} from "@seriatim/effects";
import { assert, type Bytes, type EffectResult } from "@seriatim/protocol";
import { settleCall, settleReconciled, type Attempt, type HandlerFacts, type OwnCall } from "./core/index.ts";
import type { Row } from "./store/row.ts";

export function factsOf({ reconcile: canReconcile, ...handler }: Handler): HandlerFacts {
  return { ...handler, canReconcile: canReconcile !== undefined };
}

export interface CallRequest {
  readonly space: Bytes;
  readonly handler: Handler;
  readonly row: Row;
  /** From 0 (inclusive) to 1 (exclusive), for the pause before the next attempt. */
  readonly chance: number;
  readonly signal: AbortSignal;
  readonly resultBytes: number;
  /** Whether only to ask what became of an earlier call. */
  readonly asksOnly: boolean;
}

/** Calls the handler, and asks it where it is not known what became of the call; says what to report. */
export async function performCall(request: CallRequest): Promise<EffectResult> {
  const { handler, row, chance, asksOnly } = request;
  const facts = factsOf(handler);
  const { attempt: made, pardoned, own } = row.progress;
  const mayBeOvertaken = row.side === "undo" && own?.outcome !== "done";
  const attempt: Attempt = { tried: made - pardoned, mayBeOvertaken, chance };
  if (!asksOnly) {
    const settled = settleCall(await ask(request, callHandler), facts, attempt);
    if (settled !== "reconcile") return settled;
  }
  return settleReconciled(await ask(request, reconcile), facts, attempt);
}

function ask(request: CallRequest, how: typeof callHandler): Promise<CallOutcome> {
  const { handler, row, signal, resultBytes } = request;
  assert(row.arguments !== null, "an effect without a verdict was called");
  return how(handler, row.arguments, contextOf(request), { signal, resultBytes });
}

function contextOf({ space, row }: CallRequest): Omit<CallContext, "signal"> {
  const { partition, offset, index, side, definition, progress } = row;
  assert(definition !== null, "an effect without a verdict was called");
  const { name, intent } = definition;
  const parts = { space, partition, offset, index, id: intent };
  const key = idempotencyKey({ ...parts, side });
  const forward = side === "undo" ? forwardOf(idempotencyKey({ ...parts, side: "forward" }), progress.own) : null;
  return { key, name, side, intent, partition, offset, attempt: progress.attempt, forward };
}

function forwardOf(key: string, own: OwnCall | null): ForwardCall {
  if (own?.outcome !== "done") return { key, outcome: "unknown", result: null };
  return { key, outcome: "done", result: own.result === null ? null : (decodeJson(own.result)?.value ?? null) };
}
