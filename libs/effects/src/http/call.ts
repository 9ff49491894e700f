import { CallError } from "../call-error.ts";
import type { CallContext } from "../handler.ts";
import { faultOf, retryAfter } from "./answer.ts";
import type { Secrets } from "./secrets.ts";

export interface HttpTarget {
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly secrets: Secrets;
}

/** How much of an answer is read, in bytes; what is longer is not kept. */
const longestAnswer = 64 * 1024;

/** How much of an answer that reports an error stands in the log, in characters. */
const longestDetail = 300;

/**
 * Posts the arguments as JSON, under the effect's key; an inverse gets `{ arguments, forward: { key, outcome, result } }`.
 * The answer's body is the result: JSON as it is, anything else as text.
 */
export function httpCall({ url, headers, secrets }: HttpTarget) {
  return async (args: unknown, { key, forward, signal }: CallContext): Promise<unknown> => {
    const request = JSON.stringify(forward === null ? args : { arguments: args, forward });
    const response = await post(url, { headers: headersFor(headers, key), body: request, signal }, secrets);
    const body = await bodyOf(response);
    const text = secrets.redact(body.text);
    const fault = faultOf(response.status);
    if (fault === undefined)
      return body.isWhole ? resultOf(text, response.headers.get("content-type") ?? "") : undefined;
    const delay = retryAfter(response.headers.get("retry-after"), Date.now());
    throw new CallError(fault, `HTTP ${response.status}${detailOf(text)}`, { delay });
  };
}

/** The key is a string as structured fields have it: in quotes. */
function headersFor(headers: ReadonlyMap<string, string>, key: string): Headers {
  const all = new Headers([...headers]);
  all.set("Idempotency-Key", `"${key}"`);
  if (!all.has("Content-Type")) all.set("Content-Type", "application/json");
  return all;
}

interface Post {
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal;
}

async function post(url: string, request: Post, secrets: Secrets): Promise<Response> {
  try {
    // A redirect would turn a POST into a GET, or carry the headers elsewhere.
    return await fetch(url, { method: "POST", redirect: "manual", ...request });
  } catch (error) {
    if (request.signal.aborted) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const text = secrets.redact(cause instanceof Error ? cause.message || cause.name : String(cause));
    throw new CallError(isNotSent(cause) ? "not_done" : "unsettled", `no answer: ${text}`);
  }
}

/** Errors of the way to a connection, before anything of the request was on it. */
const beforeConnection = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_HAS_EXPIRED",
]);

function isNotSent(error: unknown): boolean {
  return error instanceof Error && "code" in error && beforeConnection.has(String(error.code));
}

async function bodyOf(response: Response): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels what is still to come.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
    if (length > longestAnswer) break;
  }
  return { text: Buffer.concat(chunks).toString("utf8", 0, longestAnswer), isWhole: length <= longestAnswer };
}

function resultOf(text: string, type: string): unknown {
  if (text === "") return undefined;
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function detailOf(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? "" : `: ${line.slice(0, longestDetail)}`;
}
