import type { Isolation } from "@seriatim/protocol";
import { leftAt, type Left } from "../staging/left.ts";
import type { DemoResult } from "./demo.ts";
import { violationsOf, type Claim } from "./judge.ts";
import { isCredit } from "./keys.ts";
import type { RunReport } from "./messages.ts";

/** What `--json` prints. Its fields are part of the command's contract. */
export interface Summary extends Left {
  readonly isolation: Isolation;
  readonly seed: number;
  readonly agents: number;
  readonly runs: number;
  readonly log: "sqlite" | "kafka";
  readonly month: string;
  readonly seconds: number;
  /** Runs that committed, with or without a write. */
  readonly commits: number;
  /** Verdicts that refused. */
  readonly refusals: number;
  /** Attempts after a refusal. */
  readonly retries: number;
  /** Runs whose last attempt was refused. */
  readonly givenUp: number;
  /** Credits and seats that agents were told they had. */
  readonly credits: number;
  readonly seats: number;
  /** Runs that ended with a rule's refusal. */
  readonly limitReached: number;
  readonly soldOut: number;
  /** Customers' months over the limit and seats sold twice. */
  readonly violations: number;
  readonly customersOverLimit: number;
  readonly seatsSoldTwice: number;
  /** Whether the checker found that the space's transactions could have run one after another; null when undecided. */
  readonly serializable: boolean | null;
  /** Acknowledged writes missing at the end. */
  readonly lost: number;
}

export function summarise({ options, month, address, tally, judgement, judged, seconds }: DemoResult): Summary {
  const { isolation, seed, agents, runs, place } = options;
  const { commits, refusals, retries, givenUp, claims, reports } = tally;
  const credits = claims.filter((claim: Claim) => isCredit(claim.key)).length;
  return {
    isolation,
    seed,
    agents,
    runs,
    log: place.log,
    ...leftAt(place, address),
    month,
    seconds: Math.round(seconds * 1000) / 1000,
    commits,
    refusals,
    retries,
    givenUp,
    credits,
    seats: claims.length - credits,
    limitReached: endedWith(reports, "limit_reached"),
    soldOut: endedWith(reports, "sold_out"),
    violations: violationsOf(judgement),
    customersOverLimit: judgement.overLimit.size,
    seatsSoldTwice: judgement.soldTwice.size,
    serializable: answers[judged.judgement.findings.serializable?.answer ?? "undecided"],
    lost: judgement.lost.length,
  };
}

const answers = { holds: true, violated: false, undecided: null } as const;

function endedWith(reports: readonly RunReport[], outcome: "limit_reached" | "sold_out"): number {
  return reports.filter(({ answer }) => answer?.outcome === outcome).length;
}

/** The invariant holds, and nothing was lost. */
export function holds({ violations, lost }: Summary): boolean {
  return violations === 0 && lost === 0;
}
