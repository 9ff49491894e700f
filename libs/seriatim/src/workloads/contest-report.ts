// The tables of bench, decisions and sweep.
import { bound } from "@seriatim/workloads";
import { aligned, coloured } from "../cli/output.ts";
import type { Entrant } from "./arena.ts";
import type { ContestResult, Sizes } from "./contest.ts";
import { problemsOf } from "./contest-verdict.ts";

/** What became of an entrant: a run, or why there was none. */
export type Row = ContestResult | { readonly entrant: Entrant; readonly skipped: string };

export function nameOf(entrant: Entrant): string {
  switch (entrant.system) {
    case "seriatim": {
      const { isolation, signal, memo } = entrant.settings;
      return [isolation, ...(signal ? ["signal"] : []), ...(memo ? ["memo"] : [])].join(" + ");
    }
    case "sqlite":
      return `SQLite, ${entrant.mode}`;
    case "postgres":
      return `PostgreSQL, ${entrant.level}`;
  }
}

export function thinkOf(entrant: Entrant): number {
  return entrant.system === "seriatim" ? entrant.settings.think : entrant.think;
}

/** The part of what is possible that was reached; null where nobody thinks, and nothing bounds it. */
export function shareOf({ entrant, totals }: ContestResult, { keys, agents }: Sizes): number | null {
  const think = thinkOf(entrant);
  return think === 0 ? null : totals.goodput / bound(keys, agents, think);
}

export function counterLines(rows: readonly Row[], sizes: Sizes): string[] {
  const head = ["", "commits/s", "of bound", "aborted", "lost", "p50 ms", "p99 ms", "wasted", "slowest", "checker"];
  return table(head, rows, (result) => {
    const share = shareOf(result, sizes);
    return [
      nameOf(result.entrant),
      result.totals.goodput.toFixed(0),
      share === null ? "" : share.toFixed(2),
      percent(result.totals.abortRate),
      `${result.outcome.lost ?? ""}`,
      ...commonCells(result),
    ];
  });
}

export function decisionLines(rows: readonly Row[]): string[] {
  const head = ["", "commits/s", "aborted", "stale", "p50 ms", "p99 ms", "wasted", "slowest", "checker"];
  return table(head, rows, (result) => [
    nameOf(result.entrant),
    result.totals.goodput.toFixed(0),
    percent(result.totals.abortRate),
    percent((result.outcome.stale ?? 0) / Math.max(1, result.totals.commits)),
    ...commonCells(result),
  ]);
}

export function sweepLines(rows: readonly Row[], sizes: Sizes): string[] {
  const head = [
    "think ms",
    "commits/s",
    "of bound",
    "aborted",
    "lost",
    "p50 ms",
    "p99 ms",
    "wasted",
    "slowest",
    "checker",
  ];
  return table(head, rows, (result) => {
    const share = shareOf(result, sizes);
    return [
      `${thinkOf(result.entrant)}`,
      result.totals.goodput.toFixed(0),
      share === null ? "" : share.toFixed(2),
      percent(result.totals.abortRate),
      `${result.outcome.lost ?? ""}`,
      ...commonCells(result),
    ];
  });
}

function commonCells(result: ContestResult): string[] {
  const { p50, p99, wasted, thought, fairness } = result.totals;
  return [
    p50.toFixed(1),
    p99.toFixed(1),
    percent(wasted / Math.max(1, thought)),
    fairness.toFixed(2),
    verdictText(result),
  ];
}

/** Every column but the first and the last is of numbers, and stands to the right. */
function table(
  head: readonly string[],
  rows: readonly Row[],
  cells: (result: ContestResult) => readonly string[],
): string[] {
  const measured = rows.filter((row) => "totals" in row);
  const bodies = measured.map(cells);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...bodies.map((body) => body[column]?.length ?? 0)),
  );
  const line = (each: readonly string[]): string[] =>
    each.map((cell, column) =>
      column === 0 || column === head.length - 1 ? cell : cell.padStart(widths[column] ?? 0),
    );
  const notes = measured.flatMap((row) =>
    problemsOf(row).map((problem) => coloured(`${nameOf(row.entrant)}: ${problem}`, "red")),
  );
  const skipped = rows.flatMap((row) => ("skipped" in row ? [`${nameOf(row.entrant)}: skipped: ${row.skipped}`] : []));
  return [...aligned([line(head), ...bodies.map(line)]), ...notes, ...skipped];
}

/** What the checker says, which has read the log and nothing else. */
function verdictText(result: ContestResult): string {
  const { judged } = result.outcome;
  if (judged === null) return "not its log";
  if (problemsOf(result).length > 0) return "VIOLATED";
  const { counts, findings } = judged.judgement;
  const wrong = (["lost_update", "stale_decision"] as const).filter((name) => (counts[name] ?? 0) > 0);
  if (wrong.length === 0) return findings.serializable?.answer === "holds" ? "serializable" : "as claimed";
  return wrong.map((name) => `${counts[name]} ${name.replace("_", " ")}s`).join(", ");
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)}%`;
}

/** What `--json` prints for each row. Its fields are part of the command's contract. */
export function rowJson(row: Row, sizes: Sizes): unknown {
  const entrant = { ...row.entrant, name: nameOf(row.entrant) };
  if ("skipped" in row) return { ...entrant, ...sizes, skipped: row.skipped };
  const { lost, lostByLog, stale, judged } = row.outcome;
  return {
    ...entrant,
    ...sizes,
    ...row.totals,
    share: shareOf(row, sizes),
    lost,
    lostByLog,
    stale,
    checker:
      judged === null
        ? null
        : {
            serializable: judged.judgement.findings.serializable?.answer,
            claims: judged.judgement.findings.claims?.answer,
            lostUpdates: judged.judgement.counts.lost_update,
            staleDecisions: judged.judgement.counts.stale_decision,
            checked: judged.judgement.coverage.checked,
            objections: judged.objections.length,
          },
    problems: problemsOf(row),
  };
}
