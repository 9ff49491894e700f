export { connect, open } from "./open.ts";
export type { OpenOptions } from "./embedded-space.ts";
export type { EmbeddedWorkerOptions } from "./effects/embedded-worker.ts";
export type { HandlerAlarm } from "@seriatim/effects-worker";
export { initKafka, type InitOptions } from "./kafka-init.ts";
export { type ConnectOptions } from "./kafka-space.ts";
export type * from "@seriatim/client";
export {
  CallError,
  defineHandlers,
  type CallContext,
  type CallFault,
  type ForwardCall,
  type Handler,
  type HandlerDefinition,
  type Handlers,
  type Reconciled,
} from "@seriatim/effects";
export {
  defaultLimits,
  Failure,
  failureCodes,
  isFailure,
  isolations,
  refusalCodes,
  type FailureCode,
  type Isolation,
  type Limits,
  type RefusalCode,
  type Version,
} from "@seriatim/protocol";
