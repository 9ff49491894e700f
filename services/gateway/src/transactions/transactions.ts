import { randomBytes } from "node:crypto";
import type { Coordinator, RunOptions, RunResult } from "@seriatim/client";
import { Failure } from "@seriatim/protocol";
import type { GatewayLimits } from "../limits.ts";
import { versionText } from "../versions.ts";
import { HeldTransaction } from "./held.ts";

/** How many transactions all sessions of a gateway have open. */
export interface Allowance {
  open: number;
}

export interface TransactionsOptions {
  readonly coordinator: Coordinator;
  readonly limits: GatewayLimits;
  readonly allowance: Allowance;
  /** Called once for a transaction of which something was overwritten. */
  readonly onOverwritten: (id: string) => void;
}

/** Of so many ended transactions it is known how they ended. */
const remembered = 1_000;

interface Open {
  readonly held: HeldTransaction;
  readonly timer: NodeJS.Timeout;
}

/** The transactions that one session has open. */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #open = new Map<string, Open>();
  /** How those ended that are no longer open, as a clause. */
  readonly #ended = new Map<string, string>();
  #beginning = 0;

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  get open(): HeldTransaction[] {
    return Array.from(this.#open.values(), ({ held }) => held);
  }

  /** @throws Failure `invalid_argument` when too many are open; what the coordinator's `run` does. */
  async begin(options: Omit<RunOptions, "id" | "attempts">): Promise<HeldTransaction> {
    const { coordinator, allowance, limits, onOverwritten } = this.#options;
    this.#checkRoom();
    this.#beginning += 1;
    allowance.open += 1;
    try {
      const held = await HeldTransaction.begin(coordinator, `tx-${randomBytes(6).toString("hex")}`, options);
      held.onOverwritten(() => onOverwritten(held.id));
      const minutes = limits.transactionTime / 60_000;
      const expire = (): void => void this.#drop(held.id, `was abandoned, because it was open for ${minutes} minutes`);
      const timer = setTimeout(expire, limits.transactionTime).unref();
      this.#open.set(held.id, { held, timer });
      return held;
    } catch (error) {
      allowance.open -= 1;
      throw error;
    } finally {
      this.#beginning -= 1;
    }
  }

  /** @throws Failure `invalid_argument` saying how it ended, when it is not open. */
  get(id: string): HeldTransaction {
    const open = this.#open.get(id);
    if (open !== undefined) return open.held;
    const ended = this.#ended.get(id);
    const what = ended ?? "is none of this session, or ended long ago";
    throw new Failure("invalid_argument", `transaction ${JSON.stringify(id)} ${what}; begin another one`);
  }

  /** Ends it, whatever comes of it. @throws Failure as {@link get}; what the coordinator's `run` does. */
  async commit(id: string): Promise<RunResult<void>> {
    const held = this.#take(id, "is being committed");
    try {
      const result = await held.commit();
      this.#remember(id, endOf(result));
      return result;
    } catch (error) {
      this.#remember(id, `ended with an error: ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }

  /** @throws Failure as {@link get}. */
  async abandon(id: string): Promise<void> {
    await this.#take(id, "was abandoned").abandon();
  }

  async abandonAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#drop(id, "was abandoned, because its client was lost")));
  }

  async #drop(id: string, ended: string): Promise<void> {
    if (this.#open.has(id)) await this.#take(id, ended).abandon();
  }

  #take(id: string, ended: string): HeldTransaction {
    const held = this.get(id);
    clearTimeout(this.#open.get(id)?.timer);
    this.#open.delete(id);
    this.#options.allowance.open -= 1;
    this.#remember(id, ended);
    return held;
  }

  #remember(id: string, ended: string): void {
    this.#ended.set(id, ended);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > remembered && oldest !== undefined) this.#ended.delete(oldest);
  }

  #checkRoom(): void {
    const { allowance, limits } = this.#options;
    const { transactionsOfSession, transactions } = limits;
    const remedy = "commit or abandon one first";
    if (this.#open.size + this.#beginning >= transactionsOfSession)
      throw new Failure(
        "invalid_argument",
        `this session has ${transactionsOfSession} transactions open, which is the limit; ${remedy}`,
      );
    if (allowance.open >= transactions)
      throw new Failure(
        "invalid_argument",
        `this server has ${transactions} transactions open, which is the limit of all sessions together; ${remedy}`,
      );
  }
}

function endOf(result: RunResult<void>): string {
  if (result.outcome === "refused") return "was refused at its commit";
  return `has committed${result.version === undefined ? "" : ` at version ${versionText(result.version)}`}`;
}
