import { setTimeout as sleep } from "node:timers/promises";

/** What an agent would pay a model for, in ms. */
export interface Thought {
  readonly thought: number;
  /** The part that led to no commit. */
  readonly wasted: number;
}

/** Thinks, and keeps account of it for one agent. */
export class Thinking {
  readonly #ms: number;
  #thought = 0;
  #wasted = 0;
  /** Of the run under way, not known yet to be of use or in vain. */
  #open = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  get spent(): Thought {
    return { thought: this.#thought, wasted: this.#wasted };
  }

  /** Rejects when the signal fires: what was thought until then is wasted. */
  async think(signal?: AbortSignal): Promise<void> {
    const began = performance.now();
    let isDone = false;
    try {
      if (this.#ms > 0) await sleep(this.#ms, undefined, signal === undefined ? {} : { signal });
      isDone = true;
    } finally {
      const ms = performance.now() - began;
      this.#thought += ms;
      if (isDone) this.#open += ms;
      else this.#wasted += ms;
    }
  }

  /** Nothing will come of what was thought in this run so far. */
  discard(): void {
    this.#wasted += this.#open;
    this.#open = 0;
  }

  /** It has led to a commit. */
  keep(): void {
    this.#open = 0;
  }
}
