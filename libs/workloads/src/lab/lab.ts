import { judge, type Judgement } from "@seriatim/checker";
import { createCoordinator, type Coordinator } from "@seriatim/client";
import { Random, VirtualClock } from "@seriatim/log";
import { VirtualSpace } from "../virtual/virtual-space.ts";
import type { Answer } from "./answer.ts";
import { Desk, keysOf } from "./desk.ts";
import type { Guard } from "./guards.ts";
import { monthOf } from "./month.ts";

/** How long a commit takes, in ms of virtual time. */
const latency = 1;

export interface LabOptions {
  /** How long each run thinks, in ms; as many runs as there are. */
  readonly think: readonly number[];
  /** When they start, in ms since 1970. */
  readonly at: number;
  readonly zone: string;
}

/** What came of one guard. Times in ms of virtual time. */
export interface LabResult {
  readonly guard: string;
  /** How many credits stand in the month of the start, and how many of them are too many. */
  readonly standing: number;
  readonly violations: number;
  readonly granted: number;
  readonly limitReached: number;
  /** Runs that ended with a refusal. */
  readonly refused: number;
  /** Verdicts that refused because of a conflict. */
  readonly refusals: number;
  readonly retries: number;
  readonly thought: number;
  /** Thought for attempts that did not commit. */
  readonly wasted: number;
  readonly elapsed: number;
  readonly answers: readonly Answer[];
  readonly judgement: Judgement;
}

/** Lets several runs give credits to one customer, to whom one was given before, under one guard. */
export async function runLab(guard: Guard, { think, at, zone }: LabOptions): Promise<LabResult> {
  const lab = await Lab.open(at, zone);
  const keys = keysOf(monthOf(at, zone));
  await lab.coordinator().run({ agent: "before" }, (tx) => {
    tx.put(keys.credits + guard.first, { amount: 15, agent: "before" });
    tx.put(keys.quota, 1);
  });
  const began = lab.clock.now();
  const desks = think.map((ms, index) => lab.desk(`run-${index + 1}`, ms));
  const answers = await Promise.all(desks.map((desk) => guard.give(desk)));
  const elapsed = lab.clock.now() - began;
  const standing = (await lab.coordinator().scan({ prefix: keys.credits })).length;
  const sum = (of: (desk: Desk) => number): number => desks.reduce((total, desk) => total + of(desk), 0);
  const count = (outcome: Answer["outcome"]): number => answers.filter((answer) => answer.outcome === outcome).length;
  const judgement = await judge(lab.space.history());
  await lab.space.close();
  return {
    guard: guard.name,
    standing,
    violations: Math.max(0, standing - guard.limit),
    granted: count("granted"),
    limitReached: count("limit_reached"),
    refused: count("refused"),
    refusals: sum((desk) => desk.coordinator.statistics().refusals.conflict),
    retries: sum((desk) => desk.coordinator.statistics().retries),
    thought: sum((desk) => desk.thought),
    wasted: sum((desk) => desk.coordinator.statistics().msWasted),
    elapsed,
    answers,
    judgement,
  };
}

/** A space in virtual time, and agents in it that share nothing else. */
export class Lab {
  readonly clock: VirtualClock;
  readonly space: VirtualSpace;
  readonly #zone: string;
  readonly #random = new Random(1);
  #ids = 0;

  private constructor(clock: VirtualClock, space: VirtualSpace, zone: string) {
    this.clock = clock;
    this.space = space;
    this.#zone = zone;
  }

  static async open(at: number, zone: string): Promise<Lab> {
    const clock = new VirtualClock(at);
    return new Lab(clock, await VirtualSpace.open({ clock, latency }), zone);
  }

  coordinator(): Coordinator {
    return createCoordinator(this.space, {
      clock: this.clock.now,
      schedule: this.clock.schedule,
      random: () => this.#random.word() / 2 ** 32,
      newId: () => `intent-${(this.#ids += 1)}`,
    });
  }

  desk(agent: string, think: number): Desk {
    return new Desk({ coordinator: this.coordinator(), clock: this.clock, zone: this.#zone, agent, think });
  }
}
