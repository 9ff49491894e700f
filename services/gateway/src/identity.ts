import { randomBytes } from "node:crypto";

/** Who acts in one session of a client. */
export interface Identity {
  /** The agent's own name. */
  readonly agent: string;
  readonly session: string;
  /** Stands in every intent, so that a refusal names it to others. */
  readonly actor: string;
}

/** What the client says of itself when it connects. */
export interface ClientInfo {
  readonly name: string;
}

/** Of a name; with the session it stays below what a space allows (256 bytes unless set otherwise). */
const longestName = 64;

export function newSessionName(): string {
  return randomBytes(4).toString("hex");
}

/**
 * Two sessions of one program are two agents, unless a name was given: then that is the agent, in every session.
 * @param given by flag.
 */
export function identityOf(given: string | undefined, client: ClientInfo | undefined, session: string): Identity {
  if (given !== undefined) return { agent: given, session, actor: given };
  const agent = shortened(client?.name ?? "") || "mcp";
  return { agent, session, actor: `${agent}:${session}` };
}

/** A client may call itself anything. */
function shortened(name: string): string {
  return name.trim().slice(0, longestName).toWellFormed();
}
