import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Session } from "../session.ts";
import { registerEndTools } from "./end-tools.ts";
import { registerReadTools } from "./read-tools.ts";
import { registerWriteTools } from "./write-tools.ts";

/** Tools for an agent that decides: it reads, thinks, and writes in one transaction. */
export function registerTransactionTools(server: McpServer, session: Session): void {
  registerEndTools(server, session);
  registerReadTools(server, session);
  registerWriteTools(server, session);
}
