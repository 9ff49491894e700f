import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Change, ConflictDetail, Refusal, RunResult } from "@seriatim/client";
import { versionText } from "../versions.ts";
import type { HeldTransaction } from "./held.ts";

/** The same as text for a model and as data for a program. */
export function answer(data: Record<string, unknown>): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(data, null, 2) }], structuredContent: data };
}

/** With a warning where the transaction can no longer commit. */
export function answerIn(held: HeldTransaction, data: Record<string, unknown>): CallToolResult {
  const { overwritten } = held;
  return answer({ ...data, ...(overwritten === undefined ? {} : { canCommit: false, because: overwritten }) });
}

/** A value as JSON. Under another name, bytes cannot be taken for a text. */
export function shownValue(value: unknown): { readonly value: unknown } | { readonly bytes: string } {
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : { value };
}

export function committed(id: string, result: RunResult<void>): CallToolResult {
  if (result.outcome === "refused") return refused(id, result.refusal);
  const { version, intent } = result;
  const shown = version === undefined ? null : versionText(version);
  return answer({ transaction: id, outcome: "committed", version: shown, intent });
}

function refused(id: string, refusal: Refusal): CallToolResult {
  return {
    content: [{ type: "text", text: `${refusal.message} This transaction is over: begin another one.` }],
    structuredContent: { transaction: id, outcome: "refused", refusal: shownRefusal(refusal) },
    isError: true,
  };
}

export function shownRefusal(refusal: Refusal): Record<string, unknown> {
  const { code, message, conflicts, intent, version, reason, advice } = refusal;
  return {
    code,
    message,
    conflicts: conflicts.map(shownConflict),
    intent,
    version: versionText(version),
    ...(reason === undefined ? {} : { reason }),
    advice,
  };
}

export function shownChange(change: Change): Record<string, unknown> {
  return { ...shownConflict(change), message: change.message, refuses: change.refuses };
}

function shownConflict(conflict: ConflictDetail): Record<string, unknown> {
  const { kind, key, version, agent, intent, time, deleted, value, yours } = conflict;
  return {
    kind,
    key,
    version: versionText(version),
    agent,
    intent,
    time: time.toISOString(),
    deleted,
    now: value === undefined ? null : shownValue(value),
    yours: typeof yours === "object" ? versionText(yours) : yours,
  };
}
