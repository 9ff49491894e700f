import { Crew } from "./crew.ts";
import type { Journal } from "./journal.ts";
import type { Place } from "./place.ts";
import type { Blow, Victim } from "./schedule.ts";

export interface Attacked {
  readonly journal: Journal;
  readonly kills: Readonly<Partial<Record<Victim, number>>>;
  readonly pauses: Readonly<Partial<Record<Victim, number>>>;
  /** How often a sequencer that was started without a broker had to be started again. */
  readonly restarts: number;
}

/** With nothing acknowledged for so long, in ms, whoever is paused is taken to be in the way, and resumed. */
const quiet = 1_000;

/** Lets the members of a place work while they are killed and paused, and ends them; the sequencers are left at work. */
export class Attack {
  readonly #crew: Crew;
  readonly #kills = new Map<Victim, number>();
  readonly #pauses = new Map<Victim, number>();

  constructor(place: Place) {
    this.#crew = new Crew(place);
  }

  async run(blows: readonly Blow[], onBlow: (done: number) => void): Promise<Attacked> {
    const crew = this.#crew;
    crew.start();
    try {
      for (const [index, blow] of blows.entries()) {
        await this.#strike(blow);
        onBlow(index + 1);
      }
      crew.resumeAll();
      await crew.allSucceed();
    } finally {
      await crew.end("agent", "viewer");
    }
    return {
      journal: crew.journal,
      kills: Object.fromEntries(this.#kills),
      pauses: Object.fromEntries(this.#pauses),
      restarts: crew.restarts,
    };
  }

  async end(): Promise<void> {
    await this.#crew.end();
  }

  async #strike({ after, victim, paused, pausedFor, pick }: Blow): Promise<void> {
    const crew = this.#crew;
    await crew.advance(after);
    if (paused !== undefined && crew.pause(paused, pick) !== undefined) {
      this.#pauses.set(paused, (this.#pauses.get(paused) ?? 0) + 1);
      await crew.journal.progress(pausedFor, quiet);
    }
    // Whoever is paused may be the one who is killed.
    await crew.kill(victim, pick);
    this.#kills.set(victim, (this.#kills.get(victim) ?? 0) + 1);
    crew.resumeAll();
  }
}
