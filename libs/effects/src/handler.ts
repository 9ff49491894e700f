import type { EffectSide } from "@seriatim/protocol";

/** What a handler is told besides the arguments. */
export interface CallContext {
  /**
   * The idempotency key, 64 hex digits: the same for every call of this effect, whoever makes it, and never that of
   * another. Hand it to the receiver, which should act once for each key.
   */
  readonly key: string;
  readonly name: string;
  readonly side: EffectSide;
  /** The intent that asked for the effect. */
  readonly intent: string;
  readonly partition: number;
  /** Of the intents record that brought the effect about. */
  readonly offset: number;
  /** From 1. */
  readonly attempt: number;
  /** With an inverse: the call that it undoes. */
  readonly forward: ForwardCall | null;
  /** Fires when the time-out has passed or the caller stops: whatever the call still waits for should end. */
  readonly signal: AbortSignal;
}

/** What an inverse is to undo. */
export interface ForwardCall {
  /** The idempotency key of the forward call. */
  readonly key: string;
  /**
   * What the log says of it: `done`, or `unknown` where its agent died or never heard, and it may still arrive at the
   * receiver.
   */
  readonly outcome: "done" | "unknown";
  /** What the forward call returned; null when it returned nothing or nobody knows. */
  readonly result: unknown;
}

/** What a `reconcile` function found out about an earlier call. */
export type Reconciled =
  | { readonly state: "done"; readonly result?: unknown }
  /** It has surely not happened, and may be called again. */
  | { readonly state: "not_done" }
  | { readonly state: "unknown" };

/** What a handler's name stands for. */
export interface HandlerDefinition {
  /**
   * Makes the call, and returns what is to be kept of the answer: JSON of at most 64 KiB, or nothing. What it throws
   * means that the call may have happened, unless it is a {@link CallError} that says better.
   */
  call(args: unknown, context: CallContext): unknown;
  /**
   * Whether the receiver acts once for each key, so that a call whose outcome is not known may be made again. Default
   * true. Otherwise such an effect becomes `unknown`, and is not called again before somebody says what happened.
   */
  readonly idempotent?: boolean;
  /** How long a call may take, in ms. Default 30,000. */
  readonly timeout?: number;
  /** How many calls are made before the effect is a dead letter; one that its worker was held up before counts. Default 10. */
  readonly attempts?: number;
  /** The pause before the second call, in ms, doubled for each one after it and drawn at random below that. Default 200. */
  readonly backoff?: number;
  /** The longest such pause, in ms. Default 60,000. */
  readonly longestBackoff?: number;
  /** The lane of a deferred effect that names none itself. Default `default`. */
  readonly lane?: string;
  /** Asks the receiver what became of an earlier call with this key, where its outcome is not known. */
  reconcile?(args: unknown, context: CallContext): Reconciled | Promise<Reconciled>;
  /**
   * Of an inverse: whether a receiver that gets it before the forward call voids the forward call, so that it does
   * nothing should it still arrive. Default false: then an inverse whose forward call may still arrive is done only
   * when `reconcile` says so.
   */
  readonly voids?: boolean;
}

/** A definition with every default filled in. */
export interface Handler {
  readonly name: string;
  call(args: unknown, context: CallContext): unknown;
  readonly idempotent: boolean;
  readonly timeout: number;
  readonly attempts: number;
  readonly backoff: number;
  readonly longestBackoff: number;
  readonly lane: string;
  readonly reconcile: ((args: unknown, context: CallContext) => Reconciled | Promise<Reconciled>) | undefined;
  readonly voids: boolean;
}

/** By name. */
export type Handlers = ReadonlyMap<string, Handler>;

/** The lane of effects that name none, where their handler names none either. */
export const defaultLane = "default";

export const handlerDefaults = {
  idempotent: true,
  timeout: 30_000,
  attempts: 10,
  backoff: 200,
  longestBackoff: 60_000,
  lane: defaultLane,
  voids: false,
} as const;
