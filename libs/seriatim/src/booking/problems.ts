import type { BookingResult } from "./booking.ts";
import type { BookingOptions } from "./options.ts";

/** What is wrong with a run, as sentences; empty where all that must hold holds. */
export function problemsOf(result: BookingResult): string[] {
  return [...saleProblems(result), ...effectProblems(result), ...checkerProblems(result)];
}

function saleProblems({ options: { agents, seats }, reports, taken, settled: { office } }: BookingResult): string[] {
  const booked = reports.filter(({ seat }) => typeof seat === "string").length;
  const problems: string[] = [];
  const due = Math.min(agents, seats);
  if (office.confirmed !== due) problems.push(`${office.confirmed} seats were sold, and it must be ${due}`);
  const soldTwice = Object.entries(office.sold).filter(([, buyers]) => buyers.length > 1);
  for (const [seat, buyers] of soldTwice) problems.push(`${seat} was sold to ${buyers.join(" and ")}`);
  if (booked !== office.confirmed)
    problems.push(`${booked} agents were told that they have a seat, and ${office.confirmed} have one`);
  if (taken !== booked) problems.push(`the space shows ${taken} seats as taken, and ${booked} agents were given one`);
  return problems;
}

function effectProblems({ settled: { office, effects } }: BookingResult): string[] {
  const problems: string[] = [];
  if (office.confirmations !== effects.deferred)
    problems.push(`${office.confirmations} confirmations arrived, and ${effects.deferred} were deferred and committed`);
  if (office.held > 0) problems.push(`${office.held} holds dangle: nobody has confirmed or released them`);
  if (effects.failed > 0) problems.push(`${effects.failed} effects are dead letters or of unknown outcome`);
  return problems;
}

function checkerProblems({ options, judged: { judgement, objections } }: BookingResult): string[] {
  const { findings } = judgement;
  const problems = objections.map(({ message }) => message);
  if (findings.claims?.answer !== "holds") problems.push("a transaction did not get the level that it asked for");
  // In a space that others use too, they may have asked for less.
  if (options.isolation === "serializable" && isOwn(options) && findings.serializable?.answer !== "holds")
    problems.push("the history is not serializable");
  return problems;
}

/** Nobody else has ever been in the space. */
function isOwn({ place }: BookingOptions): boolean {
  return (place.log === "sqlite" ? place.file : place.space) === undefined;
}
