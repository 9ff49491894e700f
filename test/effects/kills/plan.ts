import { Random } from "@seriatim/log";
import { steps, type StepName } from "./steps.ts";

/** One effect that a run defers. */
export interface Deferred {
  /** Unique to the run. */
  readonly label: string;
  readonly handler: "many" | "once";
  readonly lane: string;
}

export interface Plan {
  readonly seed: number;
  readonly step: StepName;
  /** At the how many-eth time that the worker comes to that step. */
  readonly nth: number;
  readonly signal: "SIGKILL" | "SIGSTOP";
  /** Intents that commit, each with what it defers. */
  readonly intents: readonly (readonly Deferred[])[];
  /** Whether the worker that takes over keeps what it has read in the same file. */
  readonly sharesStore: boolean;
}

/** The plan of a run: the seed says all. Every step comes up with both signals. */
export function planOf(seed: number): Plan {
  const random = new Random(seed);
  const step = steps[seed % steps.length] ?? steps[0];
  const signal = Math.floor(seed / steps.length) % 2 === 0 ? "SIGKILL" : "SIGSTOP";
  let count = 0;
  const next = (): string => `${seed}.${count++}`;
  const many = (): Deferred => ({ label: next(), handler: "many", lane: `${seed}-${random.below(3)}` });
  // What may not be repeated holds its lane, and the rest of its intent, when nobody knows what became of it.
  const once = (): Deferred => ({ label: next(), handler: "once", lane: `once-${seed}-${count}` });
  const intents = Array.from({ length: 5 + random.below(4) }, () => {
    if (random.below(4) === 0) return [once()];
    return Array.from({ length: 1 + random.below(2) }, many);
  });
  return {
    seed,
    step,
    signal,
    nth: 1 + random.below(3),
    intents: [...intents, [once()]],
    sharesStore: random.below(2) === 0,
  };
}
