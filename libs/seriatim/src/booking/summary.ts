import type { Isolation } from "@seriatim/protocol";
import type { OfficeReport } from "@seriatim/workloads";
import { leftAt, type Left } from "../staging/left.ts";
import type { BookingResult } from "./booking.ts";
import type { EffectsTally } from "./effects-tally.ts";
import { problemsOf } from "./problems.ts";

/** What `--json` prints. Its fields are part of the command's contract. */
export interface BookingSummary extends Left {
  readonly isolation: Isolation;
  readonly seed: number;
  readonly agents: number;
  readonly seats: number;
  readonly log: "sqlite" | "kafka";
  readonly show: string;
  readonly seconds: number;
  /** Agents that were told that they have a seat, and those that were told that none is left. */
  readonly booked: number;
  readonly soldOut: number;
  /** Seats that the space shows as taken. */
  readonly taken: number;
  /** Seats that the box office has sold, more than there are, and sold to several. */
  readonly sold: number;
  readonly oversold: number;
  readonly soldTwice: number;
  readonly confirmations: number;
  /** Holds at the box office that nobody has confirmed or released. */
  readonly dangling: number;
  /** Verdicts that refused, and calls that failed so that an agent began anew. */
  readonly refusals: number;
  readonly failedCalls: number;
  /** Whether nothing was left to be done in the end. */
  readonly settled: boolean;
  readonly effects: EffectsTally;
  readonly office: OfficeReport;
  /** What the checker found, which has read the log; null when undecided. */
  readonly serializable: boolean | null;
  /** Whether every transaction had the level that it asked for. */
  readonly claims: boolean | null;
  readonly objections: number;
  /** What is wrong, as sentences. */
  readonly problems: readonly string[];
}

const answers = { holds: true, violated: false, undecided: null } as const;

export function summarise(result: BookingResult): BookingSummary {
  const { options, show, address, reports, taken, settled, judged, seconds } = result;
  const { isolation, seed, agents, seats, place } = options;
  const { effects, office, isSettled } = settled;
  const { findings } = judged.judgement;
  const sold = Object.values(office.sold);
  return {
    isolation,
    seed,
    agents,
    seats,
    log: place.log,
    ...leftAt(place, address),
    show,
    seconds: Math.round(seconds * 1000) / 1000,
    booked: reports.filter(({ seat }) => typeof seat === "string").length,
    soldOut: reports.filter(({ seat }) => seat === null).length,
    taken,
    sold: office.confirmed,
    oversold: Math.max(0, office.confirmed - seats),
    soldTwice: sold.filter((buyers) => buyers.length > 1).length,
    confirmations: office.confirmations,
    dangling: office.held,
    refusals: reports.reduce((sum, { refusals }) => sum + refusals, 0),
    failedCalls: reports.reduce((sum, { failedCalls }) => sum + failedCalls, 0),
    settled: isSettled,
    effects,
    office,
    serializable: answers[findings.serializable?.answer ?? "undecided"],
    claims: answers[findings.claims?.answer ?? "undecided"],
    objections: judged.objections.length,
    problems: problemsOf(result),
  };
}
