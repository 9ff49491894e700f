import type { ContestResult } from "./contest.ts";

/** What is wrong with a run, as sentences; empty where all that must hold holds. */
export function problemsOf(result: ContestResult): string[] {
  return [...lossProblems(result), ...staleProblems(result), ...checkerProblems(result)];
}

function lossProblems({ entrant, outcome: { lost, lostByLog, judged } }: ContestResult): string[] {
  if (lost === null) return [];
  const isUnchecked = entrant.system === "seriatim" && entrant.settings.isolation === "none";
  const problems = lost !== 0 && !isUnchecked ? [`${lost} increments were lost`] : [];
  if (lostByLog !== null && lostByLog !== lost)
    problems.push(`the counters lack ${lost} increments, and by the log it must be ${lostByLog}`);
  const found = judged?.judgement.counts.lost_update ?? null;
  if (found !== null && found > 0 !== lost > 0) problems.push(`the checker found ${found} lost updates`);
  return problems;
}

function staleProblems({ entrant, outcome: { stale, judged } }: ContestResult): string[] {
  if (stale === null) return [];
  const isSerializable = entrant.system === "seriatim" && entrant.settings.isolation === "serializable";
  const problems = stale !== 0 && isSerializable ? [`${stale} decisions were stale`] : [];
  const found = judged?.judgement.counts.stale_decision ?? null;
  if (found !== stale) problems.push(`${stale} stale decisions were counted, and the checker found ${found}`);
  return problems;
}

function checkerProblems({ entrant, outcome: { judged } }: ContestResult): string[] {
  if (judged === null) return [];
  const { findings } = judged.judgement;
  const problems = judged.objections.map(({ message }) => message);
  if (findings.claims?.answer !== "holds") problems.push("a transaction did not get the level that it asked for");
  const isSerializable = entrant.system === "seriatim" && entrant.settings.isolation === "serializable";
  if (isSerializable && findings.serializable_in_log_order?.answer !== "holds")
    problems.push("the history is not serializable in the order of the log");
  return problems;
}
