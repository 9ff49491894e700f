import { defineHandlers, type Handlers } from "@seriatim/effects";
import type { Step } from "./step.ts";

/** The outside world of a scenario: it takes deliveries, and takes its time over one of them until it is told to go on. */
export class Outside {
  /** What a worker is to call. */
  readonly handlers: Handlers;
  /** What has arrived, in order. */
  readonly landed: string[] = [];
  readonly #slow: string;
  readonly #steps: Step[];
  readonly #waiting = new Map<string, () => void>();
  #release: () => void = () => undefined;
  readonly #released = new Promise<void>((resolve) => (this.#release = resolve));

  /** @param slow the delivery that it takes its time over. */
  constructor(slow: string, steps: Step[]) {
    this.#slow = slow;
    this.#steps = steps;
    this.handlers = defineHandlers({ deliver: { call: (what) => this.#deliver(String(what)) } });
  }

  goOn(): void {
    this.#release();
  }

  /** Resolves when it has arrived. */
  async until(what: string): Promise<void> {
    if (this.landed.includes(what)) return;
    await new Promise<void>((resolve) => this.#waiting.set(what, resolve));
  }

  async #deliver(what: string): Promise<void> {
    if (what === this.#slow) {
      this.#steps.push({ agent: "worker", kind: "thinks", about: `the delivery of the ${what} one takes long` });
      await this.#released;
    }
    this.landed.push(what);
    this.#steps.push({ agent: "worker", kind: "delivers", what });
    this.#waiting.get(what)?.();
  }
}
