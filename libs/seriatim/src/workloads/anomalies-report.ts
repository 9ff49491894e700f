// What `seriatim anomalies` prints of all that it has played.
import type { Isolation } from "@seriatim/protocol";
import { textOfStep } from "@seriatim/workloads";
import { coloured } from "../cli/output.ts";
import type { Played } from "./played.ts";

const gap = "  ";

/** A row for each interleaving, with what became of it at each level, and its story. */
export function matrix(played: readonly Played[], levels: readonly Isolation[]): string[] {
  const scenarios = [...new Set(played.map(({ scenario }) => scenario))];
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const columns = levels.map((level) => Math.max(level.length, "prevented".length));
  const head = [" ".repeat(width), ...levels.map((level, index) => level.padEnd(columns[index] ?? 0))].join(gap);
  const rows = scenarios.map(({ name, story }) => {
    const cells = levels.map((level, index) => {
      const cell = played.find((each) => each.scenario.name === name && each.isolation === level);
      return cell === undefined ? "" : cellText(cell, columns[index] ?? 0);
    });
    return [name.padEnd(width), ...cells, coloured(story, "dim")].join(gap);
  });
  return [head.trimEnd(), ...rows];
}

function cellText({ isAsExpected, finding: { occurrence } }: Played, width: number): string {
  if (!isAsExpected) return coloured(`${occurrence}?`.padEnd(width), "yellow");
  return coloured(occurrence.padEnd(width), occurrence === "occurs" ? "red" : "green");
}

export function closingLine(played: readonly Played[]): string {
  const odd = played.filter(({ isAsExpected }) => !isAsExpected);
  if (odd.length === 0)
    return `All ${played.length} came out as they must. The checker read each log, and says the same.`;
  const names = odd.map(({ scenario, isolation }) => `${scenario.name} at ${isolation}`);
  return `${odd.length} did not come out as they must, or the checker does not agree: ${names.join(", ")}. Look at one with --only NAME --explain.`;
}

/** What `--json` prints. Its fields are part of the command's contract. */
export function playedJson({ scenario, isolation, finding, steps, judged, answer, isAsExpected }: Played): unknown {
  const { judgement, objections } = judged;
  return {
    scenario: scenario.name,
    isolation,
    occurrence: finding.occurrence,
    expected: scenario.expected[isolation],
    found: finding.text,
    checker: { condition: scenario.condition, answer, claims: judgement.findings.claims?.answer ?? "undecided" },
    objections: objections.length,
    asExpected: isAsExpected,
    steps: steps.map((step) => ({ agent: step.agent, kind: step.kind, text: textOfStep(step) })),
  };
}
