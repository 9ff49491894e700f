import { Journal } from "./journal.ts";
import { Member, type Kind } from "./member.ts";
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
/** With nothing acknowledged for so long, in ms, and nobody paused, the space is taken to be stuck. */
const stuck = 120_000;

/** Lets the members of a place work while they are killed and paused, and ends them; the sequencers are left at work. */
export class Attack {
  readonly #place: Place;
  readonly #journal = new Journal();
  readonly #members: readonly Member[];
  readonly #kills = new Map<Victim, number>();
  readonly #pauses = new Map<Victim, number>();
  #restarts = 0;
  #isBrokerPaused = false;

  constructor(place: Place) {
    this.#place = place;
    this.#members = place.members.map(({ name, kind }) => this.#member(name, kind));
  }

  async run(blows: readonly Blow[], onBlow: (done: number) => void): Promise<Attacked> {
    for (const member of this.#members) member.start();
    try {
      for (const [index, blow] of blows.entries()) {
        await this.#strike(blow);
        onBlow(index + 1);
      }
      this.#resumeAll();
      await this.#advance(this.#members.length * 2);
    } finally {
      this.#resumeAll();
      await Promise.all(this.#members.filter(({ kind }) => kind !== "sequencer").map((member) => member.kill()));
    }
    return {
      journal: this.#journal,
      kills: Object.fromEntries(this.#kills),
      pauses: Object.fromEntries(this.#pauses),
      restarts: this.#restarts,
    };
  }

  async end(): Promise<void> {
    this.#resumeAll();
    await Promise.all(this.#members.map((member) => member.kill()));
  }

  async #strike({ after, victim, paused, pausedFor, pick }: Blow): Promise<void> {
    await this.#advance(after);
    if (paused !== undefined && this.#pause(paused, pick)) await this.#journal.progress(pausedFor, quiet);
    // Whoever is paused may be the one who is killed.
    await this.#kill(victim, pick);
    this.#resumeAll();
  }

  async #advance(count: number): Promise<void> {
    if (await this.#journal.progress(count, stuck)) return;
    const members = this.#members.map((member) => member.describe());
    throw new Error(`nothing was acknowledged for ${stuck / 1000} s: the space is stuck\n${members.join("\n")}`);
  }

  async #kill(victim: Victim, pick: number): Promise<void> {
    this.#kills.set(victim, (this.#kills.get(victim) ?? 0) + 1);
    if (victim === "broker") {
      await this.#place.broker?.kill();
      this.#isBrokerPaused = false;
      await this.#place.broker?.restart();
      return;
    }
    const member = this.#one(victim, pick);
    await member?.kill();
    member?.start();
  }

  /** Whether somebody could be paused. */
  #pause(victim: Victim, pick: number): boolean {
    if (victim === "broker") {
      if (!this.#signalBroker("SIGSTOP")) return false;
      this.#isBrokerPaused = true;
    } else {
      const member = this.#one(victim, pick);
      if (member?.isReady !== true) return false;
      member.pause();
    }
    this.#pauses.set(victim, (this.#pauses.get(victim) ?? 0) + 1);
    return true;
  }

  #resumeAll(): void {
    if (this.#isBrokerPaused) this.#signalBroker("SIGCONT");
    this.#isBrokerPaused = false;
    for (const member of this.#members) if (member.isPaused) member.resume();
  }

  /** False where the broker is no process of ours. */
  #signalBroker(signal: NodeJS.Signals): boolean {
    const pid = this.#place.broker?.pid;
    return pid !== undefined && process.kill(pid, signal);
  }

  /** One of those at work, or, once in eight, one that may still be starting. */
  #one(kind: Kind, pick: number): Member | undefined {
    const all = this.#members.filter((member) => member.kind === kind);
    const ready = all.filter((member) => member.isReady);
    const choice = ready.length === 0 || pick % 8 === 0 ? all : ready;
    return choice[Math.floor(pick / 8) % choice.length];
  }

  #member(name: string, kind: Kind): Member {
    const member = new Member({
      name,
      kind,
      command: (incarnation) => this.#place.command(name, kind, incarnation, this.#journal.pendingBusiness(name)),
      onLine: (line) => this.#journal.hear(name, line),
      onEnd: (why) => this.#ended(member, why),
    });
    return member;
  }

  #ended(member: Member, why: string): void {
    // The command does not wait for a broker that is away when it starts: whoever started it tries again.
    if (member.kind === "sequencer" && why.includes(`"code":"unavailable"`)) this.#restarts += 1;
    else this.#journal.violations.push(why);
    member.start();
  }
}
