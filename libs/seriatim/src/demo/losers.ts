import { coloured, escapeUnprintable } from "../cli/output.ts";
import { wrapped } from "../cli/wrapped.ts";
import type { Claim, Judgement } from "./judge.ts";
import type { RunReport } from "./messages.ts";

/**
 * The reasons in the words in which agents get them: a refusal of a credit and of a seat, and one of each rule; and who
 * lost without being told.
 */
export function toldLines(reports: readonly RunReport[], { lost }: Judgement): string[] {
  const wishes = ["credit", "seat"] as const;
  const refused = wishes.flatMap((kind) =>
    reports.filter(({ wish, refusal }) => wish.kind === kind && refusal !== undefined).slice(0, 1),
  );
  const lines = [...refused.flatMap(refusalLines), ...ruleLines(reports), ...lost.slice(0, 1).flatMap(silenceLines)];
  return lines.length === 0 ? ["  There were none."] : lines;
}

function refusalLines({ agent, wish, refusal = "" }: RunReport): string[] {
  return told(`${agent}, ${wish.run}, by a verdict`, refusal);
}

function ruleLines(reports: readonly RunReport[]): string[] {
  const lines: string[] = [];
  for (const outcome of ["limit_reached", "sold_out"] as const) {
    for (const { agent, wish, answer } of reports) {
      if (answer?.outcome !== outcome) continue;
      lines.push(...told(`${agent}, ${wish.run}, by the rule (${outcome})`, `${answer.reason} ${answer.nextStep}`));
      break;
    }
  }
  return lines;
}

function silenceLines({ agent, run, key }: Claim): string[] {
  return told(
    `${agent}, ${run}, by nobody`,
    `It was told that it has ${key}, and somebody else has overwritten it since.`,
  );
}

function told(who: string, sentence: string): string[] {
  return [coloured(`  ${who}:`, "dim"), ...wrapped(escapeUnprintable(sentence)).map((line) => `    ${line}`)];
}
