import { Random } from "@seriatim/log";
import type { Kind } from "./member.ts";

export type Victim = Kind | "broker";

/** One blow: who is killed, after how many further acknowledgements, and who is paused in between for how many. */
export interface Blow {
  readonly after: number;
  readonly victim: Victim;
  readonly paused: Victim | undefined;
  readonly pausedFor: number;
  /** Picks one of several of a kind. */
  readonly pick: number;
}

/** Of Kafka's kills every tenth is the broker's. */
const brokerEvery = 10;
const pauseChance = 0.3;
const weights: Readonly<Record<"sqlite" | "kafka", readonly Victim[]>> = {
  sqlite: ["agent", "agent", "agent", "viewer"],
  kafka: ["agent", "agent", "agent", "sequencer", "sequencer", "viewer"],
};

/** The blows of a run, which the seed determines. When they fall, the processes do. */
export function schedule(log: "sqlite" | "kafka", kills: number, seed: number): Blow[] {
  const random = new Random(seed);
  const any = (): Victim => weights[log][random.below(weights[log].length)] ?? "agent";
  const phase = random.below(brokerEvery);
  return Array.from({ length: kills }, (_, index) => ({
    after: 1 + random.below(log === "kafka" ? 12 : 40),
    victim: log === "kafka" && (index + phase) % brokerEvery === 0 ? "broker" : any(),
    paused: random.chance(pauseChance) ? pausable(log, random, any) : undefined,
    pausedFor: 1 + random.below(12),
    pick: random.word(),
  }));
}

function pausable(log: "sqlite" | "kafka", random: Random, any: () => Victim): Victim {
  return log === "kafka" && random.chance(0.1) ? "broker" : any();
}
