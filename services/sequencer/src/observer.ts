import type { Link, Verdict } from "@seriatim/protocol";
import type { Decision } from "./core/index.ts";

/** Is told what a sequencer does, to count it. Must not throw, and nothing rests on it. */
export interface SequencerObserver {
  /** Records were decided, in `ms` together. */
  decided(partition: number, decisions: readonly Decision[], ms: number): void;
  /** Verdicts were appended: so many, of so many bytes. */
  sent(partition: number, count: number, bytes: number): void;
  /** A record of the verdicts log was read; undefined when it is none of ours. */
  readBack(partition: number, link: Link, verdict: Verdict | undefined): void;
}

export const unobserved: SequencerObserver = {
  decided: () => undefined,
  sent: () => undefined,
  readBack: () => undefined,
};
