// What people read: before the run and after it.
import { isolations, type Isolation } from "@seriatim/protocol";
import { coloured } from "../cli/output.ts";
import type { DemoResult } from "./demo.ts";
import type { Judgement } from "./judge.ts";
import { toldLines } from "./losers.ts";
import { nextLines } from "./next-steps.ts";
import type { DemoOptions } from "./options.ts";
import { customerCount, mostCredits } from "./plan.ts";
import type { Summary } from "./summary.ts";

const promises: Readonly<Record<Isolation, string>> = {
  serializable: "everything comes out as if the agents had worked one after another",
  snapshot: "nobody overwrites what changed unseen; what an agent only read may have changed",
  none: "nothing is checked",
};

const rules = {
  credits: `at most ${mostCredits} goodwill credits a customer and month`,
  seats: "a seat is sold once",
  lost: "what was acknowledged stays",
  order: "one order explains it, by the log alone",
} as const;

export function openingLines({ isolation, agents, runs, seed, think, place }: DemoOptions): string[] {
  const shared = place.log === "sqlite" ? "one SQLite file" : `Kafka at ${place.brokers.join(",")}`;
  const sequencers = place.log === "kafka" ? `, ${place.sequencers} sequencer processes` : "";
  return [
    `${agents} agents, each a process of its own, share ${shared}${sequencers}.`,
    `They give goodwill credits to ${customerCount} customers and sell seats: ${runs} runs, each reads, thinks for ${think} ms, and writes.`,
    `The rules: ${rules.credits}; ${rules.seats}. Seed ${seed}.`,
    "",
    "What an isolation level promises:",
    ...isolations.map((level) => levelLine(level, level === isolation)),
    "",
  ];
}

function levelLine(level: Isolation, isChosen: boolean): string {
  const line = `${isChosen ? ">" : " "} ${level.padEnd(12)}  ${promises[level]}`;
  return isChosen ? line : coloured(line, "dim");
}

export function closingLines(result: DemoResult, summary: Summary): string[] {
  const { judgement, judged, tally } = result;
  return [
    "",
    `What happened, at level ${summary.isolation}:`,
    ...verdictLines(judgement, summary),
    verdictLine(rules.order, summary.serializable === true, orderText(judged)),
    ...countsLines(summary),
    "",
    "What the losers were told:",
    ...toldLines(tally.reports, judgement),
    "",
    "What to try next:",
    ...nextLines(result, summary),
  ];
}

function countsLines(summary: Summary): string[] {
  const { seconds, commits, credits, seats, limitReached, soldOut, refusals, retries, givenUp } = summary;
  const end = givenUp === 0 ? "" : `, and ${givenUp} runs gave up`;
  return [
    "",
    `  ${commits} runs committed in ${seconds.toFixed(1)} s: ${credits + seats} wrote, ${limitReached} met the limit, ${soldOut} found no seat.`,
    `  ${refusals} verdicts refused what rested on something that had changed; ${retries} attempts were made again${end}.`,
  ];
}

function verdictLines(judgement: Judgement, summary: Summary): string[] {
  const { credits, seats, customersOverLimit, seatsSoldTwice, lost } = summary;
  return [
    verdictLine(
      rules.credits,
      customersOverLimit === 0,
      customersOverLimit === 0 ? `${credits} credits given` : overLimitText(judgement),
    ),
    verdictLine(
      rules.seats,
      seatsSoldTwice === 0,
      seatsSoldTwice === 0 ? `${seats} seats sold` : soldTwiceText(judgement),
    ),
    verdictLine(rules.lost, lost === 0, `${credits + seats} writes acknowledged, ${lost} lost`),
  ];
}

function verdictLine(rule: string, isKept: boolean, detail: string): string {
  const word = isKept ? coloured("kept  ", "green") : coloured("BROKEN", "red");
  const width = Math.max(...Object.values(rules).map(({ length }) => length));
  return `  ${word}  ${rule.padEnd(width)}  ${detail}`;
}

/** What the checker found in the log. */
function orderText({ judgement: { counts, components, coverage }, objections }: DemoResult["judged"]): string {
  const [objection] = objections;
  if (objection !== undefined) return objection.message;
  if (components === 0) return `${coverage.checked} transactions judged, none out of order`;
  const found = Object.entries(counts).filter(([, count]) => count !== null && count > 0);
  return `cycles in ${components} places: ${found.map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`).join(", ")}`;
}

function overLimitText({ overLimit }: Judgement): string {
  const [worst] = [...overLimit].toSorted(([, a], [, b]) => b - a);
  const [prefix = "", count = 0] = worst ?? [];
  return `${overLimit.size} customers have more: ${count} stand under ${prefix}`;
}

function soldTwiceText({ soldTwice }: Judgement): string {
  const [worst] = [...soldTwice].toSorted(([, a], [, b]) => b.length - a.length);
  const [key = "", claims = []] = worst ?? [];
  return `${soldTwice.size} seats sold to several: ${key} to ${claims.map(({ agent }) => agent).join(", ")}`;
}
