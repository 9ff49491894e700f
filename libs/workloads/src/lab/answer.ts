/** What an agent is told that wants to give something. A no is a result like the others, with a next step. */
export type Answer =
  | { readonly outcome: "granted" }
  | { readonly outcome: "limit_reached" | "refused"; readonly reason: string; readonly nextStep: string };

export function limitReached(given: number, limit: number, month: string): Answer {
  return {
    outcome: "limit_reached",
    reason: `${given} goodwill credits were given in ${month}, and ${limit} are allowed.`,
    nextStep: "Give none; apologise, and pass the case to a person if the customer insists.",
  };
}
