import { conditions, type Answer, type Condition, type Finding } from "../judgement.ts";

/** Why nothing better than `undecided` can be said of what is not violated; empty when it can. */
export type Doubts = readonly string[];

export function finding(violated: boolean, doubts: Doubts): Finding {
  if (violated) return { answer: "violated", reason: null };
  return doubts.length === 0 ? { answer: "holds", reason: null } : { answer: "undecided", reason: doubts.join("; ") };
}

export function noFindings(): Record<Condition, Finding | null> {
  return Object.fromEntries(conditions.map((condition) => [condition, null])) as Record<Condition, Finding | null>;
}

/** Violated if any is, undecided if any is, else holds. */
export function worst(answers: readonly Answer[]): Answer {
  if (answers.includes("violated")) return "violated";
  return answers.includes("undecided") ? "undecided" : "holds";
}
