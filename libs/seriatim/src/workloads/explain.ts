// What `--explain` prints: one interleaving, step by step.
import type { Cycle, Dependency, HistoryTransaction, VersionName } from "@seriatim/checker";
import { textOfStep, type Step } from "@seriatim/workloads";
import { coloured, escapeUnprintable } from "../cli/output.ts";
import { wrapped } from "../cli/wrapped.ts";
import type { Played } from "./played.ts";

export function explained(played: Played): string[] {
  const { scenario, isolation, finding, steps } = played;
  const width = Math.max(...steps.map(({ agent }) => agent.length));
  return [
    coloured(`${scenario.name}, at level ${isolation}`, "yellow"),
    `  ${scenario.story}`,
    "",
    ...steps.flatMap((step) => stepLines(step, width)),
    "",
    `  ${finding.occurrence === "occurs" ? coloured("It occurs", "red") : coloured("Prevented", "green")}: ${finding.text}.`,
    ...checkerLines(played),
    "",
  ];
}

function stepLines(step: Step, width: number): string[] {
  return wrapped(escapeUnprintable(textOfStep(step)), 100).map((line, index) =>
    index === 0 ? `  ${coloured(step.agent.padEnd(width), "dim")}  ${line}` : `  ${" ".repeat(width)}    ${line}`,
  );
}

function checkerLines({ scenario, answer, judged: { judgement, objections } }: Played): string[] {
  const { cycles, levels, claims } = judgement;
  const broken = claims.reduce((sum, claim) => sum + claim.broken, 0);
  const lines = [
    `  The checker, from the log alone: ${words[scenario.condition] ?? scenario.condition} ${answer === "undecided" ? "is undecided" : answer === "holds" ? "holds" : "is violated"}.`,
  ];
  for (const cycle of cycles.slice(0, 1)) lines.push(...cycleLines(cycle));
  if (levels !== null && levels.staleGenerations > 0)
    lines.push(
      `    ${levels.staleGenerations} committed on what had been overwritten before; ${levels.cascades} effects rest on that. Level of the history: L${levels.reached}.`,
    );
  if (broken > 0) lines.push(`    ${broken} transactions did not get the level that they asked for.`);
  for (const { message } of objections) lines.push(`    The log itself: ${message}`);
  return lines;
}

const words: Partial<Record<string, string>> = {
  serializable: "serializability",
  serializable_in_log_order: "serializability in the order of the log",
  claims: "the level that each transaction asked for",
};

function cycleLines({ anomaly, transactions, dependencies }: Cycle): string[] {
  const lines = [`    a cycle, ${anomaly}: each must come before the next, and the last before the first:`];
  for (const [index, transaction] of transactions.entries()) {
    const next = transactions[(index + 1) % transactions.length];
    const dependency = dependencies[index];
    if (next === undefined || dependency === undefined) continue;
    lines.push(`      ${nameOf(transaction)} before ${nameOf(next)}: ${reason(dependency)}`);
  }
  return lines;
}

function nameOf(transaction: HistoryTransaction): string {
  return transaction.kind === "logged" ? `${transaction.agent} (${transaction.offset})` : transaction.name;
}

function reason({ kind, key, before, after, range }: Dependency): string {
  const what = JSON.stringify(key);
  switch (kind) {
    case "ww":
      return `it overwrote ${what}, ${version(before)} by ${version(after)}`;
    case "wr":
      return `the latter read ${what} as the former wrote it, at ${version(before)}`;
    case "rw":
      return before === null
        ? `the former found no ${what}${range === null ? "" : " in a range"}, which the latter wrote at ${version(after)}`
        : `the former read ${what} at ${version(before)}, which the latter replaced at ${version(after)}`;
    case "session":
      return "it is the same agent's, and came first";
    case "time":
      return "it had ended when the other began";
  }
}

function version(name: VersionName): string {
  return name === null ? "nothing" : String(name);
}
