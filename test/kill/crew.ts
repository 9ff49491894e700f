import { Journal } from "./journal.ts";
import { Member, type Kind } from "./member.ts";
import type { Place } from "./place.ts";
import type { Victim } from "./schedule.ts";

/** With nothing acknowledged for so long, in ms, and nobody paused, the space is taken to be stuck. */
const stuck = 120_000;

/** The processes of a place, its broker included, and what they told. */
export class Crew {
  readonly journal = new Journal();
  readonly members: readonly Member[];
  readonly #place: Place;
  #restarts = 0;
  #isBrokerPaused = false;

  constructor(place: Place) {
    this.#place = place;
    this.members = place.members.map(({ name, kind }) => this.#member(name, kind));
  }

  /** How often a service that was started without a broker had to be started again. */
  get restarts(): number {
    return this.#restarts;
  }

  start(): void {
    for (const member of this.members) member.start();
  }

  /** Kills one of a kind, and starts it again. */
  async kill(victim: Victim, pick: number): Promise<void> {
    if (victim === "broker") {
      await this.#place.broker?.kill();
      this.#isBrokerPaused = false;
      return this.restartBroker();
    }
    const member = this.one(victim, pick);
    await member?.kill();
    member?.start();
  }

  /** Ends the broker cleanly, if it runs, and starts it again. */
  async restartBroker(): Promise<void> {
    this.#resumeBroker();
    await this.#place.broker?.restart();
  }

  /** What ends the pause; undefined where nobody could be paused. */
  pause(victim: Victim, pick: number): (() => void) | undefined {
    if (victim === "broker") {
      if (!this.#signalBroker("SIGSTOP")) return undefined;
      this.#isBrokerPaused = true;
      return () => this.#resumeBroker();
    }
    const member = this.one(victim, pick);
    if (member?.isReady !== true) return undefined;
    member.pause();
    return () => {
      if (member.isPaused) member.resume();
    };
  }

  resumeAll(): void {
    this.#resumeBroker();
    for (const member of this.members) if (member.isPaused) member.resume();
  }

  /** One of those at work, or, once in eight, one that may still be starting. */
  one(kind: Kind, pick: number): Member | undefined {
    const all = this.members.filter((member) => member.kind === kind);
    const ready = all.filter((member) => member.isReady);
    const choice = ready.length === 0 || pick % 8 === 0 ? all : ready;
    return choice[Math.floor(pick / 8) % choice.length];
  }

  /** Waits for so many acknowledgements. @throws when nothing is acknowledged any more. */
  async advance(count: number): Promise<void> {
    if (await this.journal.progress(count, stuck)) return;
    const members = this.members.map((member) => member.describe());
    throw new Error(`nothing was acknowledged for ${stuck / 1000} s: the space is stuck\n${members.join("\n")}`);
  }

  /** Waits until every agent was acknowledged something more, and every viewer has looked once more. @throws as above. */
  async allSucceed(): Promise<void> {
    const { successes } = this.journal;
    const before = new Map(successes);
    const silent = (): Member[] =>
      this.members.filter(
        ({ name, kind }) =>
          (kind === "agent" || kind === "viewer") && (successes.get(name) ?? 0) === (before.get(name) ?? 0),
      );
    const end = performance.now() + stuck;
    while (silent().length > 0) {
      await this.advance(1);
      if (performance.now() < end) continue;
      const members = silent().map((member) => member.describe());
      if (members.length > 0) throw new Error(`nothing succeeds any more for\n${members.join("\n")}`);
    }
  }

  /** Kills those of these kinds for good; all unless given. */
  async end(...kinds: readonly Kind[]): Promise<void> {
    this.resumeAll();
    const ending = this.members.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
    await Promise.all(ending.map((member) => member.kill()));
  }

  #resumeBroker(): void {
    if (this.#isBrokerPaused) this.#signalBroker("SIGCONT");
    this.#isBrokerPaused = false;
  }

  /** False where the broker is no process of ours. */
  #signalBroker(signal: NodeJS.Signals): boolean {
    const pid = this.#place.broker?.pid;
    return pid !== undefined && process.kill(pid, signal);
  }

  #member(name: string, kind: Kind): Member {
    const { journal } = this;
    const member = new Member({
      name,
      kind,
      command: (incarnation) => this.#place.command(name, kind, incarnation, journal.pendingBusiness(name)),
      onLine: (line) => journal.hear(name, line),
      onEnd: (why) => this.#ended(member, why),
    });
    return member;
  }

  #ended(member: Member, why: string): void {
    const isService = member.kind === "sequencer" || member.kind === "worker";
    // A service does not wait for a broker that is away when it starts: whoever started it tries again.
    if (isService && why.includes(`"code":"unavailable"`)) this.#restarts += 1;
    else this.journal.violations.push(why);
    member.start();
  }
}
