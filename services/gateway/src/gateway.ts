import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Coordinator, Space } from "@seriatim/client";
import { defaultGatewayLimits, type GatewayLimits } from "./limits.ts";
import { Session } from "./session.ts";
import type { Allowance } from "./transactions/transactions.ts";

export interface GatewayOptions {
  readonly coordinator: Coordinator;
  /** The one that the coordinator works on. */
  readonly space: Space;
  /** The agent's name in every session; from what each client says of itself unless given. */
  readonly agent?: string | undefined;
  /** Of this program, for clients to show. */
  readonly version: string;
  readonly limits?: Partial<GatewayLimits> | undefined;
  /** Takes one line for the operator. */
  readonly log: (line: string) => void;
}

/** Serves any number of clients on one space. */
export class Gateway {
  readonly limits: GatewayLimits;
  readonly log: (line: string) => void;
  readonly #options: GatewayOptions;
  readonly #allowance: Allowance = { open: 0 };

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.limits = { ...defaultGatewayLimits, ...options.limits };
    this.log = options.log;
  }

  /** A session on a transport of its own. Whoever connects closes it. */
  async connect(transport: Transport): Promise<Session> {
    const { coordinator, space, agent, version, log } = this.#options;
    const session = new Session({
      coordinator,
      space,
      agent,
      version,
      log,
      limits: this.limits,
      allowance: this.#allowance,
    });
    await session.connect(transport);
    return session;
  }
}
