import type { EffectRecord, EffectReport, EffectResult, Offset } from "@seriatim/protocol";

/*
 * What the effects log says of one effect: a fold of its records, the same for whoever reads them. By invariant 10 the
 * verdicts say whether the effect exists; nothing here does.
 *
 *  - The first claim of an attempt in the log wins, and an attempt follows the one before it: every other claim is void.
 *  - A report counts if it names a winning claim. `done` counts from any of them, whatever else was said (the call did
 *    happen), and the first one stands. Everything else counts only from the newest claim, while it stands.
 *  - What a person decides counts unless the effect is done; `retry` waits for nobody's claim to end.
 */

export const effectStates = ["pending", "claimed", "done", "failed", "unknown", "dropped"] as const;
export type EffectState = (typeof effectStates)[number];

/** A claim that won. */
export interface WonClaim {
  readonly offset: Offset;
  readonly worker: string;
}

/** What an agent said of the call that it made itself, of its own hold. */
export interface OwnCall {
  readonly outcome: "done" | "failed" | "unknown";
  readonly result: Uint8Array | null;
  readonly error: string | null;
}

export interface Progress {
  readonly state: EffectState;
  /** The last attempt claimed; 0 before the first. */
  readonly attempt: number;
  /** Attempts up to here do not count against a handler's bound: a person had it tried again. */
  readonly pardoned: number;
  /** In order; the last is that of `attempt`. */
  readonly claims: readonly WonClaim[];
  /** Whether an attempt before the last one may have happened: nobody has said that it did not. */
  readonly inDoubt: boolean;
  /** How long to wait before the next attempt, in ms from the last report on. */
  readonly delay: number;
  readonly error: string | null;
  /** What the handler returned, once it is done. */
  readonly result: Uint8Array | null;
  /** The person who decided last. */
  readonly decided: { readonly who: string; readonly why: string } | null;
  /** Of a hold's forward call; everything else is of no meaning there. */
  readonly own: OwnCall | null;
  /** The offset, in the effects log, of the last record that was applied. */
  readonly applied: Offset;
}

export const noProgress: Progress = {
  state: "pending",
  attempt: 0,
  pardoned: 0,
  claims: [],
  inDoubt: false,
  delay: 0,
  error: null,
  result: null,
  decided: null,
  own: null,
  applied: -1,
};

/** Whether an effect in this state is still to be done, and holds its lane. */
export function isOpen(state: EffectState): boolean {
  return state === "pending" || state === "claimed" || state === "unknown";
}

export function newestClaim({ claims }: Progress): WonClaim | undefined {
  return claims.at(-1);
}

/** Applies the record at `offset` of the effects log; one that was applied before, or is void, changes nothing else. */
export function apply(progress: Progress, record: EffectRecord, offset: Offset): Progress {
  if (offset <= progress.applied) return progress;
  return { ...progress, ...changesOf(progress, record, offset), applied: offset };
}

type Changes = Partial<Progress>;
const none: Changes = {};

function changesOf(progress: Progress, record: EffectRecord, offset: Offset): Changes {
  switch (record.kind) {
    case "claim":
      return claimed(progress, record.attempt, { offset, worker: record.worker });
    case "report":
      return reported(progress, record);
    case "decision":
      return decided(progress, record.act, { who: record.who, why: record.why });
  }
}

function claimed(progress: Progress, attempt: number, claim: WonClaim): Changes {
  const { state, claims, inDoubt } = progress;
  if (attempt !== progress.attempt + 1 || !isOpen(state)) return none;
  // Whoever takes over from a claim that nobody reported on does not know whether its call was made.
  return { state: "claimed", attempt, claims: [...claims, claim], inDoubt: inDoubt || state === "claimed" };
}

function reported(progress: Progress, { claim, result }: EffectReport): Changes {
  if (claim === null) return ownCall(progress, result);
  if (!progress.claims.some(({ offset }) => offset === claim)) return none;
  if (result.kind === "done")
    return progress.state === "done" ? none : { state: "done", result: result.result, error: null };
  if (progress.state !== "claimed" || newestClaim(progress)?.offset !== claim) return none;
  switch (result.kind) {
    case "again":
      return { state: "pending", delay: result.delay, error: result.error, inDoubt: false };
    case "failed":
      return { state: "failed", error: result.error };
    case "unknown":
      return { state: "unknown", error: result.error, inDoubt: true };
  }
}

function ownCall({ own }: Progress, result: EffectResult): Changes {
  if (result.kind === "again" || own?.outcome === "done") return none;
  if (result.kind === "done") return { own: { outcome: "done", result: result.result, error: null } };
  return own === null ? { own: { outcome: result.kind, result: null, error: result.error } } : none;
}

function decided(progress: Progress, act: "retry" | "resolve" | "drop", by: NonNullable<Progress["decided"]>): Changes {
  const { state, attempt } = progress;
  if (state === "done") return none;
  switch (act) {
    case "retry":
      if (state === "claimed") return none;
      return { state: "pending", pardoned: attempt, delay: 0, inDoubt: false, decided: by };
    case "resolve":
      return { state: "done", decided: by };
    case "drop":
      return state === "dropped" ? none : { state: "dropped", decided: by };
  }
}
