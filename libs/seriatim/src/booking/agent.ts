// An agent: a process of its own, started by the booking with its arguments as JSON.
import { once } from "node:events";
import type { Coordinator } from "@seriatim/client";
import { isCallError } from "@seriatim/effects";
import { openAt } from "../staging/address.ts";
import { tellParent, workAsChild } from "../staging/child.ts";
import { loadExample, type Book } from "./example.ts";
import type { AgentArguments, AgentMessage, AgentReport, ParentMessage } from "./messages.ts";

/** Enough for whoever loses to everybody else several times over. */
const mostAttempts = 100;
/** The box office fails many a call, and not so many in a row. */
const mostFailures = 100;

class Agent {
  readonly #arguments: AgentArguments;
  readonly #coordinator: Coordinator;
  readonly #book: Book;
  #failedCalls = 0;
  #hasHeld = false;

  constructor(given: AgentArguments, coordinator: Coordinator, book: Book) {
    this.#arguments = given;
    this.#coordinator = coordinator;
    this.#book = book;
  }

  /** The first attempt is a run of its own: a run keeps its refusals to itself as long as it has attempts left. */
  async work(): Promise<AgentReport> {
    const first = await this.#run(1);
    const result = first.outcome === "committed" ? first : await this.#run(mostAttempts);
    const { refusals } = this.#coordinator.statistics();
    return {
      agent: this.#arguments.agent,
      seat: result.outcome === "committed" ? result.value : undefined,
      version: result.outcome === "committed" ? result.version : undefined,
      refusal: first.outcome === "refused" ? first.refusal.message : undefined,
      refusals: Object.values(refusals).reduce((sum, count) => sum + count, 0),
      failedCalls: this.#failedCalls,
    };
  }

  /** Begins anew when the box office did not answer: what it may have held is given back. */
  async #run(attempts: number): ReturnType<Book> {
    const { agent, show, wish, isolation } = this.#arguments;
    for (;;) {
      try {
        return await this.#book(this.#coordinator, { agent, show, wish, isolation, attempts }, () => this.#decide());
      } catch (error) {
        if (!isCallError(error)) throw error;
        this.#failedCalls += 1;
        if (this.#failedCalls > mostFailures) throw error;
      }
    }
  }

  /** Nobody decides before all of them hold a seat. */
  async #decide(): Promise<void> {
    if (this.#hasHeld) return;
    this.#hasHeld = true;
    const decided = told("decide");
    await tellParent({ kind: "holding" } satisfies AgentMessage);
    await decided;
  }
}

async function main(): Promise<void> {
  const given = JSON.parse(process.argv[2] ?? "") as AgentArguments;
  const begun = told("begin");
  process.channel?.ref();
  const { book, handlers } = await loadExample();
  const coordinator = await openAt(given.address, handlers);
  await tellParent({ kind: "ready" } satisfies AgentMessage);
  await begun;
  const report = await new Agent(given, coordinator, book).work();
  await tellParent({ kind: "done", report } satisfies AgentMessage);
  // In a file it goes on to call effects, until its parent ends it.
}

/** Resolves when the parent says so. */
async function told(what: ParentMessage): Promise<void> {
  for (;;) if ((await once(process, "message"))[0] === what) return;
}

workAsChild(main);
