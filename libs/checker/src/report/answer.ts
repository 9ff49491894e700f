import type { Answer, Condition, Judgement } from "../judgement.ts";
import type { AskedLevel, Report } from "./report.ts";

/** The condition that an asked level stands for. */
export function conditionOf(
  asked: AskedLevel,
  { session, realTime }: { readonly session: boolean; readonly realTime: boolean },
): Condition | undefined {
  switch (asked) {
    case "serializable":
      return realTime ? "strict_serializable" : session ? "strong_session_serializable" : "serializable";
    case "snapshot":
      return realTime
        ? "strong_snapshot_isolation"
        : session
          ? "strong_session_snapshot_isolation"
          : "snapshot_isolation";
    case "log-order":
      return "serializable_in_log_order";
    case "claimed":
      return "claims";
    case "none":
      return undefined;
  }
}

/** The worst of several answers: one violation breaks all, one doubt leaves it open. */
export function worst(answers: readonly Answer[]): Answer {
  if (answers.includes("violated")) return "violated";
  return answers.includes("undecided") ? "undecided" : "holds";
}

/** The strongest level that holds for all transactions; null while that is undecided. */
export function foundLevel(judgement: Judgement | undefined): Report["found"] {
  if (judgement === undefined) return null;
  const { serializable, snapshot_isolation: snapshot } = judgement.findings;
  if (serializable?.answer === "holds") return "serializable";
  if (serializable?.answer !== "violated") return null;
  if (snapshot?.answer === "holds") return "snapshot";
  return snapshot?.answer === "violated" ? "none" : null;
}
