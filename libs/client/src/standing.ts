import type { Submit } from "@seriatim/protocol";
import { writes } from "./contention.ts";
import type { Habits } from "./habits.ts";
import type { Place, Rivals } from "./rivals.ts";
import type { Leave, Turns } from "./turns.ts";
import type { Environment } from "./environment.ts";

/** A run's place among those that contend for the same keys. It holds turns until the run has ended. */
export class Standing {
  readonly #turns: Turns;
  readonly #habits: Habits;
  readonly #rivals: Rivals;
  readonly #agent: string;
  readonly #signal: AbortSignal | undefined;
  readonly #held = new Map<string, Leave>();
  #isEntering = false;
  /** By its first refusal. */
  #place: Place | undefined;

  constructor(
    { turns, habits, rivals }: Pick<Environment, "turns" | "habits" | "rivals">,
    agent: string,
    signal: AbortSignal | undefined,
  ) {
    this.#turns = turns;
    this.#habits = habits;
    this.#rivals = rivals;
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

  /**
   * Waits for one's turn among the runs of this coordinator, and then for those of others that come first. Who holds a
   * turn does not wait for another, or two could wait for each other.
   */
  async enter(name: string, place: Place): Promise<void> {
    this.#isEntering = true;
    try {
      this.#held.set(name, await this.#turns.enter(name, this.#signal));
      await this.#rivals.goFirst(name, place, this.#turns.patience(name), this.#signal);
    } finally {
      this.#isEntering = false;
    }
  }

  /** After a refusal over these names, in an attempt that took so long: waits for one's turn in each of them. */
  async again(names: readonly string[], ms: number, refused: Place): Promise<void> {
    for (const name of names) this.#turns.contend(name, ms);
    this.#place = { ...refused, offset: Math.min(refused.offset, this.#place?.offset ?? Infinity) };
    // Whoever was refused in its own turn lost to another process, and keeps it.
    const hadIt = names.every((name) => this.#held.has(name));
    if (!hadIt) this.leave();
    // In one order for all.
    for (const name of names.toSorted())
      if (hadIt) await this.#rivals.goFirst(name, this.#place, this.#turns.patience(name), this.#signal);
      else await this.enter(name, this.#place);
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
