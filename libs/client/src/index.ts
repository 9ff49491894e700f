export { attemptId } from "./attempt-ids.ts";
export type {
  Coordinator,
  CoordinatorOptions,
  HistoryOptions,
  IntentRequest,
  LookupOptions,
  ReadOptions,
  RetryOptions,
  RunOptions,
} from "./coordinator.ts";
export { createCoordinator } from "./create-coordinator.ts";
export { isTransient } from "./run.ts";
export type {
  Advice,
  Change,
  ConflictDetail,
  Entry,
  HistoryEntry,
  Lookup,
  Refusal,
  RunCommitted,
  RunRefused,
  RunResult,
  SubmitResult,
} from "./result.ts";
export { advices } from "./result.ts";
export type { Appended, AppendOptions, Space } from "./space.ts";
export type { Advance } from "@seriatim/view";
export type { Statistics } from "./statistics.ts";
export type {
  CompensableOptions,
  DeferOptions,
  ImmediateOptions,
  Item,
  Range,
  ScanOptions,
  Transaction,
  WriteOptions,
} from "./transaction.ts";
export { decodeValue, encodeValue } from "./values.ts";
