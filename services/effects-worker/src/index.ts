export { effectStates, type EffectState, type OwnCall, type Progress } from "./core/index.ts";
export type { WorkerStatus } from "./status.ts";
export { EffectsStore } from "./store/effects-store.ts";
export { isNeeded, isOpenRow, type Definition, type EffectId, type Row } from "./store/row.ts";
export { EffectsWorker, type HandlerAlarm, type WorkerOptions } from "./worker.ts";
export { EffectsReading, type Act, type ReadingOptions } from "./reading.ts";
