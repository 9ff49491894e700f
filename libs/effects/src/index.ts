export { CallError, isCallError, type CallErrorOptions, type CallFault } from "./call-error.ts";
export { callHandler, reconcile, textOf, type CallOptions, type CallOutcome } from "./call-handler.ts";
export { defineHandlers, mergeHandlers } from "./define-handlers.ts";
export {
  defaultLane,
  handlerDefaults,
  type CallContext,
  type ForwardCall,
  type Handler,
  type HandlerDefinition,
  type Handlers,
  type Reconciled,
} from "./handler.ts";
export { httpHandlersFrom, httpHandlersOf, httpVariable } from "./http/config.ts";
export { idempotencyKey, type KeyParts } from "./idempotency-key.ts";
export { decodeJson } from "./json.ts";
export { loadHandlers } from "./load-handlers.ts";
