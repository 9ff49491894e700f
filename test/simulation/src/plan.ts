import type { Fault, FaultRates, Random } from "@seriatim/log";

/** Scenarios in which the intents log loses acknowledged records: what nobody may get over. */
export const losses = ["intentsCut", "intentsRecreated", "intentsReplaced"] as const;
export type Loss = (typeof losses)[number];

/** What happens to a space besides the faults of its logs. */
export const disturbances = [
  /** Some records of an append of verdicts are acknowledged and not in the log. */
  "verdictsLost",
  /** A record that is no verdict of the space stands in the verdicts log. */
  "verdictsForeign",
  /** The last verdicts are gone from the log before anybody has read them, and their offsets are given out again. */
  "verdictsCut",
  /** No append succeeds for a while. */
  "outage",
  /** A process stands still for a while, and then goes on as if nothing had been. */
  "pause",
  "killSequencer",
  /** A sequencer dies while it sends verdicts once more, of which only some land. */
  "killInResend",
  "killReader",
  "killAgents",
  /** A process begins with what its view was some time ago. */
  "oldView",
  /** A process begins with no view. */
  "noView",
  /** A sequencer begins with a bit of its state flipped. */
  "flippedBit",
  /** The one with the flipped bit has stopped, as a defect. */
  "divergedStopped",
  ...losses,
] as const;
export type Disturbance = (typeof disturbances)[number];

/** What the seed chooses before anything runs. */
export interface Plan {
  readonly sequencers: number;
  /** The processes over which the agents are spread. */
  readonly hosts: number;
  /** Processes that only read; those of the agents read too. */
  readonly readers: number;
  /** The genesis' limit. */
  readonly window: number;
  readonly verdictTimeout: number;
  readonly stallAfter: number;
  readonly intents: FaultRates;
  readonly verdicts: FaultRates;
  /** The longest delay of a log, in ms. */
  readonly maxDelay: number;
  /** The longest time between two disturbances, in ms. */
  readonly maxPeace: number;
  /** The probability of each at an occasion for it. */
  readonly chances: Readonly<Partial<Record<Disturbance, number>>>;
  readonly hasDiverged: boolean;
  readonly loss: Loss | undefined;
}

const logFaults: readonly Fault[] = [
  "delayAppend",
  "delayRead",
  "splitRead",
  "repeat",
  "cut",
  "unknown",
  "unavailable",
  "hole",
  "stepBack",
];

const disturbing: readonly Disturbance[] = [
  "verdictsLost",
  "verdictsForeign",
  "verdictsCut",
  "outage",
  "pause",
  "killSequencer",
  "killInResend",
  "killReader",
  "killAgents",
];

/** Each seed has some of the faults, seldom or often: one that is always there hides what happens without it. */
export function planOf(random: Random): Plan {
  const some = (most: number): number => (random.chance(0.6) ? (most * (1 + random.below(100))) / 100 : 0);
  const rates = (): FaultRates => Object.fromEntries(logFaults.map((fault) => [fault, some(often(fault))]));
  const hasDiverged = random.chance(0.2);
  const loss = !hasDiverged && random.chance(0.12) ? losses[random.below(losses.length)] : undefined;
  const chances: Partial<Record<Disturbance, number>> = {};
  for (const disturbance of disturbing) chances[disturbance] = some(0.3);
  const readers = random.below(2);
  if (readers === 0) chances.killReader = 0;
  return {
    sequencers: pick(random, [2, 2, 2, 2, 3, 4]),
    hosts: pick(random, [1, 1, 1, 2]),
    readers,
    window: random.chance(0.5) ? 15 + random.below(60) : 10_000,
    verdictTimeout: pick(random, [200, 1_000, 5_000]),
    stallAfter: pick(random, [200, 400]),
    intents: rates(),
    verdicts: rates(),
    maxDelay: pick(random, [5, 50, 200]),
    maxPeace: pick(random, [400, 1_500, 4_000]),
    chances,
    hasDiverged,
    loss,
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[random.below(from.length)];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
}

function often(fault: Fault): number {
  if (fault === "delayAppend" || fault === "delayRead" || fault === "splitRead") return 0.4;
  return 0.12;
}
