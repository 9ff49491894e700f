// What people read: before the run and after it.
import { isolations, type Isolation } from "@seriatim/protocol";
import { coloured } from "../cli/output.ts";
import { keptLines, nextLines, orderText, type Kept } from "../cli/run-report.ts";
import type { DemoResult } from "./demo.ts";
import type { Judgement } from "./judge.ts";
import { toldLines } from "./losers.ts";
import { nextCommands } from "./next-steps.ts";
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
    ...keptLines([...ownRules(judgement, summary), [summary.serializable === true, rules.order, orderText(judged)]]),
    ...countsLines(summary),
    "",
    "What the losers were told:",
    ...toldLines(tally.reports, judgement),
    "",
    "What to try next:",
    ...nextLines(nextCommands(result, summary)),
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

function ownRules(judgement: Judgement, summary: Summary): Kept[] {
  const { credits, seats, customersOverLimit, seatsSoldTwice, lost } = summary;
  const isWithin = customersOverLimit === 0;
  const isSoldOnce = seatsSoldTwice === 0;
  return [
    [isWithin, rules.credits, isWithin ? `${credits} credits given` : overLimitText(judgement)],
    [isSoldOnce, rules.seats, isSoldOnce ? `${seats} seats sold` : soldTwiceText(judgement)],
    [lost === 0, rules.lost, `${credits + seats} writes acknowledged, ${lost} lost`],
  ];
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
