export * from "./core/index.ts";
export { EmbeddedSequencer, type Decided, type DecidedRecord, type EmbeddedSequencerOptions } from "./embedded.ts";
export type { SequencerObserver } from "./observer.ts";
export { Pipeline, type PipelineOptions, type Role } from "./pipeline.ts";
export { Sequencer, type SequencerOptions } from "./sequencer.ts";
export type { PartitionStatus } from "./status.ts";
export type { Timing } from "./timing.ts";
export { viewState } from "./view-state.ts";
