export { contend, type AgentReport, type Contender } from "./contention/contender.ts";
export { CounterAgent, prepareCounters, sumOfCounters, type CounterSettings } from "./contention/counters.ts";
export { deal } from "./contention/deal.ts";
export { bound, totalsOf, type Totals } from "./contention/totals.ts";
export { Play } from "./scenarios/play.ts";
export type { Finding, Occurrence, Scenario } from "./scenarios/scenario.ts";
export { scenarios } from "./scenarios/scenarios.ts";
export { textOfStep, type Step } from "./scenarios/step.ts";
