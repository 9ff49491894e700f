import type { Coordinator, RunResult, Transaction } from "@seriatim/client";
import type { Isolation } from "@seriatim/protocol";
import type { Step } from "./step.ts";
import { witnessed, type Witnessed } from "./witnessed.ts";

/** What an agent does in its transaction. `pause` is where it thinks, and others act. */
export type Part<T> = (tx: Witnessed, pause: (about: string) => Promise<void>) => Promise<T>;

export interface ActorOptions<T> {
  readonly agent: string;
  readonly isolation: Isolation;
  readonly part: Part<T>;
  readonly steps: Step[];
}

/**
 * An agent that goes from pause to pause as it is told. When it is refused it does what the refusal says: it begins
 * again, and then nothing holds it up.
 */
export class Actor<T> {
  /** Resolves at its first pause, or when it has ended without one. */
  readonly paused: Promise<void>;
  readonly #coordinator: Coordinator;
  readonly #options: ActorOptions<T>;
  readonly #done: Promise<T>;
  #onPaused: () => void = () => undefined;
  #isReleased = false;
  #release: () => void = () => undefined;

  constructor(coordinator: Coordinator, options: ActorOptions<T>) {
    this.#coordinator = coordinator;
    this.#options = options;
    this.paused = new Promise((resolve) => (this.#onPaused = resolve));
    this.#done = this.#perform();
    this.#done.then(this.#onPaused, this.#onPaused);
  }

  /** Lets it go on to its end; what it returned. */
  finish(): Promise<T> {
    this.#isReleased = true;
    this.#release();
    return this.#done;
  }

  async #perform(): Promise<T> {
    const { agent, steps } = this.#options;
    const first = await this.#run(1);
    if (first.outcome === "committed") return this.#committed(first);
    steps.push({ agent, kind: "refused", message: first.refusal.message });
    steps.push({ agent, kind: "begins_again" });
    const second = await this.#run(10);
    if (second.outcome === "committed") return this.#committed(second);
    throw new Error(`${agent} was refused again, where nobody disturbed it: ${second.refusal.message}`);
  }

  #run(attempts: number): Promise<RunResult<T>> {
    const { agent, isolation, part, steps } = this.#options;
    return this.#coordinator.run({ agent, isolation, attempts }, (tx: Transaction) =>
      part(witnessed(tx, steps), (about) => this.#pause(about)),
    );
  }

  #committed({ value, version }: Extract<RunResult<T>, { readonly outcome: "committed" }>): T {
    const { agent, steps } = this.#options;
    steps.push({ agent, kind: "commits", value, version });
    return value;
  }

  async #pause(about: string): Promise<void> {
    const { agent, steps } = this.#options;
    steps.push({ agent, kind: "thinks", about });
    this.#onPaused();
    if (!this.#isReleased) await new Promise<void>((resolve) => (this.#release = resolve));
  }
}
