import type { Readable, Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Gateway } from "./gateway.ts";

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends it as the end of the input does. */
  readonly signal: AbortSignal;
}

/** JSON-RPC's codes for what is no JSON, and for what is no request. */
const parseError = -32_700;
const invalidRequest = -32_600;

/** How long calls that were begun may still take once the client is gone, in ms. */
const patience = 10_000;

/** Serves one client over stdin and stdout until it is gone. Nothing but messages goes to the output. */
export async function serveStdio(gateway: Gateway, { input, output, signal }: StdioOptions): Promise<void> {
  const gone = endOf(input, signal);
  const transport = new StdioServerTransport(input, output);
  const session = await gateway.connect(transport);
  const { server } = session.server;
  // The library's Server is no event target: it has one listener each.
  // oxlint-disable unicorn/prefer-add-event-listener
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  server.onerror = (error) => {
    gateway.log(`a message that cannot be read: ${firstLine(error.message)}`);
    const code = codeOf(error);
    if (code !== undefined) output.write(`${JSON.stringify(errorMessage(code, error.message))}\n`);
  };
  // oxlint-enable unicorn/prefer-add-event-listener
  await Promise.race([gone, closed]);
  // What was read before the end is still handed out and answered.
  await new Promise(setImmediate);
  const late = setTimeout(() => void session.close(), patience).unref();
  if (!signal.aborted) await session.calls.idle();
  clearTimeout(late);
  await session.close();
}

function endOf(input: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    input.once("end", end).once("close", end).once("error", end);
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Undefined for an error that is not a message's. */
function codeOf(error: Error): number | undefined {
  if (error.name === "SyntaxError") return parseError;
  return error.name === "ZodError" ? invalidRequest : undefined;
}

function errorMessage(code: number, detail: string): object {
  const what = code === parseError ? `Parse error: ${firstLine(detail)}` : "Invalid Request: no JSON-RPC 2.0 message";
  return { jsonrpc: "2.0", id: null, error: { code, message: what } };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}
