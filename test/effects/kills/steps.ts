/** The steps of a worker at which it is killed or halted, in the order in which it comes to them. */
export const steps = [
  "before the claim",
  "after the claim",
  "when the claim is read back",
  "between claim and call",
  "during the call",
  "after the call",
  "before the report",
  "after the report",
  "when the report is read back",
] as const;
export type StepName = (typeof steps)[number];
