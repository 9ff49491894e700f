import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Coordinator, Space } from "@seriatim/client";
import { Calls } from "./calls.ts";
import { identityOf, newSessionName, type Identity } from "./identity.ts";
import type { GatewayLimits } from "./limits.ts";
import { Memory } from "./memory/memory.ts";
import { registerMemoryTools } from "./memory/tools.ts";
import { Resources } from "./resources.ts";
import { registerTransactionTools } from "./transactions/tools.ts";
import { Transactions, type Allowance } from "./transactions/transactions.ts";
import { transactionUri } from "./transactions/uri.ts";

export interface SessionOptions {
  readonly coordinator: Coordinator;
  readonly space: Space;
  /** The agent's name; from what the client says of itself unless given. */
  readonly agent: string | undefined;
  readonly limits: GatewayLimits;
  readonly allowance: Allowance;
  readonly version: string;
  /** Takes one line for the operator. */
  readonly log: (line: string) => void;
}

const instructions =
  "Shared state for agents, in which nothing is lost: what a tool acknowledges stands, whatever other agents do at the " +
  "same time. The graph tools are a memory that all agents share. For decisions that rest on shared state use begin, " +
  "get or scan, put or delete, and commit: a commit is refused when what you read has changed, and says what to do.";

/** One client with its server. */
export class Session {
  readonly coordinator: Coordinator;
  readonly memory: Memory;
  readonly transactions: Transactions;
  readonly calls = new Calls();
  readonly limits: GatewayLimits;
  readonly log: (line: string) => void;
  readonly server: McpServer;
  readonly #name = newSessionName();
  readonly #agent: string | undefined;
  readonly #resources: Resources;

  constructor(options: SessionOptions) {
    const { coordinator, space, agent, limits, allowance, version, log } = options;
    this.coordinator = coordinator;
    this.memory = new Memory(coordinator, space);
    this.limits = limits;
    this.log = log;
    this.#agent = agent;
    this.server = new McpServer({ name: "seriatim", version }, { instructions });
    const onOverwritten = (id: string): void => this.#resources.updated(transactionUri(id));
    this.transactions = new Transactions({ coordinator, limits, allowance, onOverwritten });
    this.#resources = new Resources(this, space);
    registerMemoryTools(this.server, this);
    registerTransactionTools(this.server, this);
  }

  /** Who acts: known once the client has introduced itself. */
  identity(): Identity {
    return identityOf(this.#agent, this.server.server.getClientVersion(), this.#name);
  }

  async connect(transport: Transport): Promise<void> {
    await this.server.connect(transport);
  }

  /** Abandons what is open. */
  async close(): Promise<void> {
    this.#resources.close();
    await this.transactions.abandonAll();
    await this.server.close();
  }
}
