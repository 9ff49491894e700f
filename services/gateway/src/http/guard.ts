import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";

export interface Admission {
  /** The address that is listened on. */
  readonly host: string;
  /** What every request must carry; nothing is asked for unless given. */
  readonly token: string | undefined;
  /** Of web pages that may connect besides those of this machine. */
  readonly origins: readonly string[];
}

export interface Rejection {
  readonly status: number;
  readonly message: string;
}

/** As a URL has it. */
function isLoopback(name: string): boolean {
  return name === "localhost" || name === "[::1]" || (isIPv4(name) && name.startsWith("127."));
}

/**
 * Why a request is not served; undefined when it is. Without a token the server is only for programs of this machine: a
 * web page that somebody here looks at must not reach it, be it by its own origin or by a name that it points here.
 */
export function rejectionOf({ headers }: IncomingMessage, { token, origins }: Admission): Rejection | undefined {
  const { host = "", origin, authorization = "" } = headers;
  if (token === undefined && !isLoopback(nameOf(`http://${host}`)))
    return { status: 403, message: `the Host header ${JSON.stringify(host)} does not name this machine's own address` };
  if (origin !== undefined && !origins.includes(origin) && !isLoopback(nameOf(origin)))
    return {
      status: 403,
      message: `the origin ${JSON.stringify(origin)} is not allowed; start the server with --allow-origin ORIGIN for it`,
    };
  if (token !== undefined && !isSame(authorization, `Bearer ${token}`))
    return { status: 401, message: "a bearer token is needed, and the one given is missing or wrong" };
  return undefined;
}

function nameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** In a time that does not tell how much of it is right. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
