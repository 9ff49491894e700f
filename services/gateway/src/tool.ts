import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Refusal } from "@seriatim/client";
import { isFailure } from "@seriatim/protocol";
import { UnknownEntity } from "./memory/remember.ts";
import { RefusedCall } from "./memory/memory.ts";
import type { Session } from "./session.ts";
import { shownRefusal } from "./transactions/answers.ts";

/** What a tool's function is given beside its arguments. */
export interface Call {
  /** Fires when the client cancels the call or is gone. */
  readonly signal: AbortSignal;
}

/**
 * Runs a tool's work. What goes wrong is a result too, with a sentence for the model and its structured form in `_meta`;
 * only a defect is told to the log as well.
 */
export function answered(
  session: Session,
  { signal }: Call,
  work: (signal: AbortSignal) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return session.calls.run(async () => {
    try {
      return await work(signal);
    } catch (error) {
      return errorResult(error, session.log);
    }
  });
}

function errorResult(error: unknown, log: (line: string) => void): CallToolResult {
  if (error instanceof RefusedCall) return failed(error.message, { "seriatim/refusal": refusalMeta(error.refusal) });
  if (isFailure(error)) {
    const { code, canRetry, message } = error;
    return failed(message, { "seriatim/failure": { code, canRetry } });
  }
  if (error instanceof UnknownEntity) return failed(error.message);
  const message = error instanceof Error ? error.message : String(error);
  log(`defect: ${error instanceof Error ? (error.stack ?? message) : message}`);
  return failed(`defect of the server: ${message}`, { "seriatim/failure": { code: "defect", canRetry: false } });
}

export function failed(message: string, meta?: Record<string, unknown>): CallToolResult {
  return {
    content: [{ type: "text", text: message }],
    isError: true,
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

function refusalMeta(refusal: Refusal): Record<string, unknown> {
  return shownRefusal(refusal);
}
