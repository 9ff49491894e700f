import type { Submit } from "@seriatim/protocol";
import { writes } from "./contention.ts";
import type { Habits } from "./habits.ts";
import type { Leave, Turns } from "./turns.ts";

/** A run's place among those that contend for the same keys. It holds turns until the run has ended. */
export class Standing {
  readonly #turns: Turns;
  readonly #habits: Habits;
  readonly #agent: string;
  readonly #signal: AbortSignal | undefined;
  readonly #held = new Map<string, Leave>();
  #isEntering = false;

  constructor(turns: Turns, habits: Habits, agent: string, signal: AbortSignal | undefined) {
    this.#turns = turns;
    this.#habits = habits;
    this.#agent = agent;
    this.#signal = signal;
  }

  /** The first of the names that this run should wait for before it reads anything; undefined where there is none. */
  wanted(names: readonly string[]): string | undefined {
    if (this.#held.size > 0 || this.#isEntering) return undefined;
    return names.find((name) => this.#turns.isContended(name) && this.#habits.isWriter(this.#agent, name));
  }

  /** Those of the names that the agent is likely to write. */
  likely(names: readonly string[]): string[] {
    return names.filter((name) => this.#habits.isWriter(this.#agent, name));
  }

  /** Waits for one's turn. Who holds one does not wait for another, or two could wait for each other. */
  async enter(name: string): Promise<void> {
    this.#isEntering = true;
    try {
      this.#held.set(name, await this.#turns.enter(name, this.#signal));
    } finally {
      this.#isEntering = false;
    }
  }

  /**
   * After a refusal over these names, in an attempt that took so long: waits for one's turn in each of them.
   * @returns false where it was one's turn already: then it was lost to another process, which does not take turns.
   */
  async again(names: readonly string[], ms: number): Promise<boolean> {
    for (const name of names) this.#turns.contend(name, ms);
    if (names.every((name) => this.#held.has(name))) return false;
    this.leave();
    // In one order for all.
    for (const name of names.toSorted()) await this.enter(name);
    return true;
  }

  /** Remembers whether the agent writes what it took turns for. */
  note(intent: Pick<Submit, "writes">): void {
    for (const name of this.#held.keys()) this.#habits.note(this.#agent, name, writes(intent, name));
  }

  leave(): void {
    for (const leave of this.#held.values()) leave();
    this.#held.clear();
  }
}
