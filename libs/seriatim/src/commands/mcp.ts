import { Command } from "commander";
import { createCoordinator } from "@seriatim/client";
import type { Gateway } from "@seriatim/gateway";
import { checkText } from "../cli/arguments.ts";
import { defaultFile, placeOrDefault } from "../cli/default-place.ts";
import { Faults } from "../cli/faults.ts";
import { httpOf, type HttpFlags, type HttpPlace } from "../cli/http-place.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { withSpace } from "../cli/open-space.ts";
import { say } from "../cli/output.ts";
import { addPlaceFlags, addWaitFlag, placeText, waitOf, type Place } from "../cli/place.ts";
import { version } from "../cli/version.ts";
import { mcpExportCommand } from "./mcp-export.ts";
import { mcpImportCommand } from "./mcp-import.ts";

interface Flags extends HttpFlags {
  readonly agent?: string;
  readonly wait: string;
}

interface Serving {
  readonly place: Place;
  readonly wait: number;
  readonly agent: string | undefined;
  /** Over stdin and stdout unless given. */
  readonly http: HttpPlace | undefined;
}

export function mcpCommand(): Command {
  const command = new Command("mcp")
    .description("serve agents over MCP: a memory, and transactions; over stdin and stdout, or HTTP")
    .option("--agent <name>", "the agent's name (default: what the client calls itself, and its session)")
    .option("--http <port>", "serve streamable HTTP at /mcp on this port, in place of stdin and stdout")
    .option("--host <address>", "the address to listen on (default: 127.0.0.1); others need SERIATIM_MCP_TOKEN")
    .option("--allow-origin <origin...>", "web pages of these origins may connect too (default: this machine's)")
    .addHelpText("after", `\nWhere no space is named it is the file ${defaultFile}, which is made when it is missing.`);
  return addWaitFlag(addPlaceFlags(command)).action(mcp).addCommand(mcpImportCommand()).addCommand(mcpExportCommand());
}

async function mcp(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOrDefault(command, faults);
  const wait = waitOf(flags, faults);
  const http = httpOf(flags, faults);
  const { agent } = flags;
  if (agent !== undefined) checkText("--agent", agent, faults);
  if (agent === "") faults.add("--agent is empty; name who acts, or leave it out");
  faults.check();
  if (place === undefined) return;
  await untilInterrupted((signal) => serve({ place, wait, agent, http }, signal), { isNormal: true });
}

/** Nothing but messages of the protocol goes to stdout. */
async function serve({ place, wait, agent, http }: Serving, signal: AbortSignal): Promise<void> {
  await withSpace(place, { writes: true, creates: true, wait, signal }, async (space) => {
    const { Gateway: Served } = await import("@seriatim/gateway");
    const coordinator = createCoordinator(space);
    const gateway = new Served({ coordinator, space, agent, version: version(), log: say });
    if (http === undefined) await serveInput(gateway, place, signal);
    else await serveHttp(gateway, place, http, signal);
  });
}

async function serveInput(gateway: Gateway, place: Place, signal: AbortSignal): Promise<void> {
  const { serveStdio } = await import("@seriatim/gateway");
  say(`serving ${placeText(place)} over stdin and stdout, for an MCP client to talk to`);
  await serveStdio(gateway, { input: process.stdin, output: process.stdout, signal });
}

async function serveHttp(gateway: Gateway, place: Place, http: HttpPlace, signal: AbortSignal): Promise<void> {
  const { HttpServer } = await import("@seriatim/gateway");
  const server = await HttpServer.listen(gateway, http);
  say(`serving ${placeText(place)} at ${server.url}`);
  await server.until(signal);
}
