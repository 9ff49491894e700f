// What `seriatim lab` prints.
import { guards, type DetourResult, type LabResult } from "@seriatim/workloads";
import { wrapped } from "../cli/wrapped.ts";

/** What does not keep the limit, whoever believes in it. */
const unsafe = new Set(["none", "own row"]);

/** Whether the guard did what it can: with one run alone none is needed. */
export function isAsExpected({ guard, violations, answers, judgement }: LabResult): boolean {
  const mustBreak = unsafe.has(guard) && answers.length > 1;
  const isSerializable = judgement.findings.serializable?.answer;
  return (
    violations > 0 === mustBreak &&
    judgement.findings.claims?.answer === "holds" &&
    (!mustBreak || isSerializable === "violated")
  );
}

export function labRows(results: readonly LabResult[]): (string | number)[][] {
  const head = [
    "guard",
    "stand",
    "too many",
    "granted",
    "limit reached",
    "gave up",
    "refusals",
    "retries",
    "wasted ms",
    "took ms",
    "",
  ];
  const rows = results.map((result) => [
    result.guard,
    result.standing,
    result.violations,
    result.granted,
    result.limitReached,
    result.refused,
    result.refusals,
    result.retries,
    result.wasted,
    result.elapsed,
    guards.find(({ name }) => name === result.guard)?.about ?? "",
  ]);
  return [head, ...rows];
}

export function detourLines(results: readonly DetourResult[]): string[] {
  const lines = ["An agent that was refused a third credit issues a discount code of the same worth instead:"];
  for (const { rule, discount, goodwill, isCaught } of results) {
    const text = isCaught && discount.outcome !== "granted" ? `${discount.reason} ${discount.nextStep}` : "";
    lines.push(
      `  a rule on the ${rule} ${isCaught ? "catches it" : "does not see it"}: goodwill of ${goodwill} stands. ${text}`.trimEnd(),
    );
  }
  return lines.flatMap((line) => wrapped(line, 120));
}
