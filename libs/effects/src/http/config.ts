import { readFileSync } from "node:fs";
import { Failure } from "@seriatim/protocol";
import { defineHandlers } from "../define-handlers.ts";
import type { HandlerDefinition, Handlers } from "../handler.ts";
import { httpCall } from "./call.ts";
import { Secrets, type Environment } from "./secrets.ts";

/** What the built-in HTTP handler is told of one name. */
interface HttpHandlerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeout?: number;
  readonly attempts?: number;
  readonly backoff?: number;
  readonly longestBackoff?: number;
  readonly idempotent?: boolean;
  readonly lane?: string;
  readonly voids?: boolean;
}

const settings = ["timeout", "attempts", "backoff", "longestBackoff", "idempotent", "lane", "voids"] as const;
const known: readonly string[] = ["url", "headers", ...settings];

/** In ms: `fetch` waits no longer for an answer to begin, whatever its signal says. */
const longestTimeout = 300_000;

/** Where the configuration stands that no file is named for. */
export const httpVariable = "SERIATIM_HTTP_HANDLERS";

/**
 * The handlers that a JSON file configures: by name, a URL or an object with `url`, `headers`, `timeout` and so on.
 * `${NAME}` in a URL or header stands for the environment's variable of that name.
 * @throws Failure `invalid_argument` saying what is wrong, and never a secret.
 */
export function httpHandlersFrom(path: string, environment: Environment = process.env): Handlers {
  return httpHandlers(read(path), `the file ${path}`, environment);
}

/** Those that the environment's variable `SERIATIM_HTTP_HANDLERS` configures, as the file does; none without it. */
export function httpHandlersOf(environment: Environment = process.env): Handlers {
  const text = environment[httpVariable] ?? "";
  return text === "" ? new Map() : httpHandlers(text, `the variable ${httpVariable}`, environment);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("invalid_argument", `the HTTP handlers cannot be read: ${why}`, { cause });
  }
}

function httpHandlers(text: string, where: string, environment: Environment): Handlers {
  const config = parse(text, where);
  const definitions = Object.entries(config).map(([name, entry]): [string, HandlerDefinition] => {
    const fail = (fault: string): never => {
      throw new Failure("invalid_argument", `the HTTP handler ${JSON.stringify(name)} in ${where} ${fault}`);
    };
    return [name, definitionOf(entry, environment, fail)];
  });
  return defineHandlers(Object.fromEntries(definitions));
}

function parse(text: string, where: string): Record<string, unknown> {
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === "object" && config !== null && !Array.isArray(config))
      return config as Record<string, unknown>;
  } catch {
    // Its message would repeat a part of the text, which may hold a secret after all.
  }
  throw new Failure("invalid_argument", `${where} holds no JSON object of handlers: write {"notify": {"url": "…"}}`);
}

type Fail = (fault: string) => never;

function definitionOf(entry: unknown, environment: Environment, fail: Fail): HandlerDefinition {
  const config = typeof entry === "string" ? { url: entry } : (entry as HttpHandlerConfig | null);
  if (typeof config !== "object" || config === null || typeof config.url !== "string") return fail("has no `url`");
  const unknown = Object.keys(config).find((property) => !known.includes(property));
  if (unknown !== undefined) fail(`has the property ${JSON.stringify(unknown)}; there are ${known.join(", ")}`);
  const secrets = new Secrets(environment);
  const url = secrets.expand(config.url, "url", fail);
  const { protocol, username, password } = new URL(URL.canParse(url) ? url : "none:");
  if (protocol !== "http:" && protocol !== "https:") fail("has a `url` that is no http or https URL");
  // `fetch` would refuse each call.
  if (username + password !== "") fail("has a user or password in its `url`: put them into an `Authorization` header");
  if (Number(config.timeout) > longestTimeout)
    fail(`has ${config.timeout} as \`timeout\`: over HTTP at most ${longestTimeout} ms are allowed`);
  const headers = headersOf(config.headers ?? {}, secrets, fail);
  const given = settings.filter((name) => config[name] !== undefined).map((name) => [name, config[name]]);
  return { ...Object.fromEntries(given), call: httpCall({ url, headers, secrets }) } as HandlerDefinition;
}

function headersOf(headers: unknown, secrets: Secrets, fail: Fail): ReadonlyMap<string, string> {
  if (typeof headers !== "object" || headers === null) return fail("has `headers` that are no object");
  const expanded = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== "string") return fail(`has a header ${JSON.stringify(name)} that is no text`);
    const text = secrets.expand(value, `header ${JSON.stringify(name)}`, fail);
    if (!isHeader(name, text)) return fail(`has a header ${JSON.stringify(name)} that HTTP does not allow`);
    if (reserved.has(name.toLowerCase())) return fail(`sets the header ${JSON.stringify(name)}, which is ours`);
    expanded.set(name, text);
  }
  return expanded;
}

const reserved = new Set(["idempotency-key", "content-length", "transfer-encoding", "connection", "host"]);

function isHeader(name: string, value: string): boolean {
  try {
    return new Headers([[name, value]]).has(name);
  } catch {
    return false;
  }
}
