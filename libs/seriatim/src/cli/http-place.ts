import { isIP } from "node:net";
import type { Faults } from "./faults.ts";
import { whole } from "./numbers.ts";

export interface HttpFlags {
  readonly http?: string;
  readonly host?: string;
  readonly allowOrigin?: readonly string[];
}

/** Where to serve HTTP, and to whom. */
export interface HttpPlace {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** What every request must carry; nothing is asked for unless given. */
  readonly token: string | undefined;
  readonly origins: readonly string[];
}

const highestPort = 65_535;
const shortestToken = 16;
const tokenName = "SERIATIM_MCP_TOKEN";

/** Undefined when it is not to be served over HTTP, or the flags have faults. */
export function httpOf(flags: HttpFlags, faults: Faults): HttpPlace | undefined {
  const { http, host = "127.0.0.1", allowOrigin = [] } = flags;
  if (http === undefined) {
    if (flags.host !== undefined || allowOrigin.length > 0) faults.add("--host and --allow-origin go with --http PORT");
    return undefined;
  }
  const port = whole(http, "--http", 0, faults);
  if (port !== undefined && port > highestPort) faults.add(`--http is ${port}; a port is at most ${highestPort}`);
  checkHost(host, faults);
  const token = process.env[tokenName];
  checkToken(token, host, faults);
  const origins = allowOrigin.map((origin) => checkedOrigin(origin, faults));
  return port === undefined ? undefined : { host, port, token: token === "" ? undefined : token, origins };
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function checkHost(host: string, faults: Faults): void {
  if (host === "localhost" || isIP(host) !== 0) return;
  faults.add(`--host is ${JSON.stringify(host)}; give an address of this machine, such as 127.0.0.1 or 0.0.0.0`);
}

function checkToken(token: string | undefined, host: string, faults: Faults): void {
  if (token === undefined || token === "") {
    if (isLoopback(host)) return;
    faults.add(
      `--host ${host} can be reached from other machines: set ${tokenName} to a secret, which every client gives as its bearer token`,
    );
  } else if (token.length < shortestToken || !/^[\u0021-\u007e]+$/.test(token))
    faults.add(`${tokenName} must be at least ${shortestToken} characters of ASCII, without spaces`);
}

function checkedOrigin(text: string, faults: Faults): string {
  const origin = URL.canParse(text) ? new URL(text).origin : "null";
  if (origin === "null")
    faults.add(`--allow-origin is ${JSON.stringify(text)}; an origin is such as https://example.org`);
  return origin;
}
