import { rm } from "node:fs/promises";
import type { Crew } from "../../kill/crew.ts";
import type { Kind } from "../../kill/member.ts";
import type { ProxyFaults } from "../../support/proxy.ts";
import { Deck, type Card, type Fault } from "./deck.ts";
import { deleteGroup } from "./delete-group.ts";
import type { FaultPlace } from "./place.ts";

/** With nothing acknowledged for so long, in ms, whatever lasts is taken to be in the way, and ended. */
const quiet = 3_000;
const lossy: ProxyFaults = {
  append: { "cut after": 0.1, "cut before": 0.1, drop: 0.03, delay: 0.2 },
  cutOther: 0.01,
  delay: 200,
};
const slow: ProxyFaults = { append: { delay: 1 }, delayOther: 1, delay: 400 };

interface Lasting {
  readonly until: number;
  readonly end: () => void;
}

/** Deals faults to a crew at work. */
export class Storm {
  /** How often each has fired. */
  readonly fired = new Map<Fault, number>();
  readonly #place: FaultPlace;
  readonly #crew: Crew;
  readonly #deck: Deck;
  #lasting: Lasting[] = [];

  constructor(place: FaultPlace, crew: Crew, seed: number) {
    this.#place = place;
    this.#crew = crew;
    this.#deck = new Deck(seed, place.impossible);
  }

  /** For so long, and until a whole deck was dealt. At its end all is calm again, and everybody is at work. */
  async blow(seconds: number, onFault: (fault: Fault) => void): Promise<void> {
    const end = performance.now() + seconds * 1_000;
    try {
      for (let dealt = 0; dealt < this.#deck.size || performance.now() < end; dealt += 1) {
        const card = this.#deck.next();
        onFault(card.fault);
        await this.#deal(card);
      }
    } finally {
      this.#calm();
    }
    await this.#crew.allSucceed();
  }

  async #deal(card: Card): Promise<void> {
    if (!(await this.#crew.journal.progress(card.after, quiet))) {
      this.#calm();
      await this.#crew.advance(card.after);
    }
    const now = performance.now();
    for (const { until, end } of this.#lasting) if (until < now) end();
    this.#lasting = this.#lasting.filter(({ until }) => until >= now);
    if (await this.#strike(card)) this.fired.set(card.fault, (this.fired.get(card.fault) ?? 0) + 1);
  }

  #calm(): void {
    for (const { end } of this.#lasting.splice(0)) end();
    this.#crew.resumeAll();
  }

  /** Whether it could be done. */
  async #strike({ fault, pick, lasts }: Card): Promise<boolean> {
    const [what, whom] = fault.split(" ") as [string, string];
    switch (fault) {
      case "kill agent":
      case "kill sequencer":
      case "kill worker":
      case "kill viewer":
      case "kill broker":
        await this.#crew.kill(whom as Kind | "broker", pick);
        return true;
      case "restart broker":
        await this.#crew.restartBroker();
        return true;
      case "pause agent":
      case "pause sequencer":
      case "pause worker":
      case "pause broker":
        return this.#last(lasts, this.#crew.pause(whom as Kind | "broker", pick));
      case "delete view":
        return this.#deleteView(pick);
      case "delete group":
        return deleteGroup(this.#place.brokers, `${this.#place.space}.sequencers`);
      case "jump clock":
        return this.#jump(pick);
      case "cut network":
        this.#place.proxy?.cut();
        return true;
      case "refuse network":
      case "slow network":
      case "lossy network":
        return this.#last(lasts, this.#trouble(what));
    }
  }

  #last(ms: number, end: (() => void) | undefined): boolean {
    if (end !== undefined) this.#lasting.push({ until: performance.now() + ms, end });
    return end !== undefined;
  }

  /** What ends it. */
  #trouble(what: string): () => void {
    const { proxy } = this.#place;
    if (what === "refuse") proxy?.refuse();
    else proxy?.setFaults(what === "slow" ? slow : lossy);
    return () => {
      proxy?.refuse(false);
      proxy?.setFaults();
    };
  }

  /** As the documents have it: of processes that are stopped, whoever shares the file. */
  async #deleteView(pick: number): Promise<boolean> {
    const { members } = this.#crew;
    const path = this.#place.fileOf(members[pick % members.length]?.name ?? "");
    const sharing = members.filter(({ name }) => this.#place.fileOf(name) === path);
    await Promise.all(sharing.map((member) => member.kill()));
    for (const suffix of ["", "-wal", "-shm"]) await rm(path + suffix, { force: true });
    for (const member of sharing) member.start();
    return true;
  }

  #jump(pick: number): boolean {
    const ready = this.#crew.members.filter(({ isReady, isPaused }) => isReady && !isPaused);
    const member = ready[pick % ready.length];
    member?.jump();
    return member !== undefined;
  }
}
