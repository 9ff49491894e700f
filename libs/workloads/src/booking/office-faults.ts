import type { Random } from "@seriatim/log";

/** What goes wrong with a request, if anything does, and how many of a hundred have it. */
const shares = {
  /** It answers with an error, and has done nothing. */
  failed: 10,
  /** It acts, and answers with an error. */
  failed_after_acting: 10,
  /** It answers nothing until the client has gone, and does nothing. */
  stalled: 8,
  /** It acts when the client has timed out and gone. */
  acted_late: 12,
} as const;

export type OfficeFault = keyof typeof shares;
export const officeFaults = Object.keys(shares) as readonly OfficeFault[];

/** Undefined for a request that is served as it should be. */
export function drawFault(random: Random): OfficeFault | undefined {
  let chance = random.below(100);
  for (const fault of officeFaults) {
    if (chance < shares[fault]) return fault;
    chance -= shares[fault];
  }
  return undefined;
}
