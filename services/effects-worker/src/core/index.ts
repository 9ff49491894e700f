export type { HandlerFacts } from "./handler-facts.ts";
export { Lanes, type Place } from "./lanes.ts";
export { nextStep, type Situation, type Step } from "./next-step.ts";
export {
  apply,
  effectStates,
  isOpen,
  newestClaim,
  noProgress,
  type EffectState,
  type OwnCall,
  type Progress,
  type WonClaim,
} from "./progress.ts";
export { settleCall, settleReconciled, type Attempt, type Ended } from "./settle.ts";
