export { decide } from "./decide.ts";
export type { Decision, IntentsRecord, Rules } from "./decide.ts";
export { evolve } from "./evolve.ts";
export { initialState, MemoryState, restoredState } from "./memory-state.ts";
export type { ClaimOfId, HoldOfId, Restored } from "./memory-state.ts";
export type { Claim, Head, HeldEffect, KeyVersion, State } from "./state.ts";
