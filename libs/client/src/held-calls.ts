import { callHandler, CallError, idempotencyKey, type CallOutcome, type Handler } from "@seriatim/effects";
import { Failure, sha256 } from "@seriatim/protocol";
import type { Digest, EffectReport, EffectResult, Hold, Offset } from "@seriatim/protocol";
import type { Environment } from "./environment.ts";
import type { Holding } from "./holding.ts";
import { decodeValue } from "./values.ts";

/** A call that is announced by a hold before it is made. */
export interface PlannedCall {
  readonly handler: Handler;
  readonly arguments: Uint8Array;
  /** Null where nothing undoes it. */
  readonly undo: string | null;
  readonly lease: number;
}

/** Where the calls of an attempt belong. */
export interface CallSite {
  readonly partition: number;
  readonly snapshot: Offset;
}

/** A hold as sent. */
interface Sent {
  readonly hold: Hold;
  readonly record: Uint8Array;
  readonly digest: Digest;
}

/**
 * The calls that one attempt makes before it is decided: the hold, its verdict read back, the call, its result into the
 * effects log, and only then back to the function. Whatever is interrupted leaves in the log what is needed to undo it.
 */
export class HeldCalls {
  /** Whether the intent that confirms what is held was given to the submitter. */
  isSubmitted = false;
  readonly #environment: Environment;
  readonly #holding: Holding;
  readonly #agent: string;
  readonly #intent: string;
  readonly #signal: AbortSignal | undefined;
  readonly #ending = new AbortController();
  readonly #confirmed: Offset[] = [];
  /** Two that run under one id do not send the same hold. */
  #attempt: string | undefined;
  #count = 0;
  #site: CallSite | undefined;
  #superseded: Failure | undefined;

  constructor(
    environment: Environment,
    holding: Holding,
    { agent, intent, signal }: { readonly agent: string; readonly intent: string; readonly signal?: AbortSignal },
  ) {
    this.#environment = environment;
    this.#holding = holding;
    this.#agent = agent;
    this.#intent = intent;
    this.#signal = signal;
  }

  /** Whether a hold may stand under the attempt's id. */
  get isUsed(): boolean {
    return this.#site !== undefined;
  }

  /** The offsets of the holds whose call was made: what is not among them is undone. */
  get confirmed(): readonly Offset[] {
    return this.#confirmed.toSorted((a, b) => a - b);
  }

  /** Set once it is known that the attempt cannot commit, for its id is decided or another run's. */
  get superseded(): Failure | undefined {
    return this.#superseded;
  }

  /** @returns what the handler returned. */
  async call(call: PlannedCall, site: CallSite): Promise<unknown> {
    const { clock, space } = this.#environment;
    const { holds } = space.genesis.limits;
    if (this.#count >= holds) throw tooMany(holds);
    this.#site = site;
    const sent = this.#encode(call, site);
    const began = clock();
    const offset = await this.#hold(sent);
    const { lease, timeout } = sent.hold;
    // From the sending on: whatever the log's clock says, the lease cannot have run out before the call has ended.
    const isInTime = clock() - began < lease - timeout;
    const isWanted = !this.#ending.signal.aborted && this.#signal?.aborted !== true;
    const outcome =
      isInTime && isWanted ? await this.#call(call.handler, sent.hold, offset) : notCalled(isInTime, lease);
    await this.#report(sent.hold, offset, outcome);
    if (!isInTime) throw tooLate(call.handler.name, lease);
    if (outcome.kind !== "done") throw failed(call.handler.name, outcome);
    if (this.#ending.signal.aborted) throw ended(call.handler.name);
    this.#confirmed.push(offset);
    return outcome.result === null ? undefined : decodeValue(outcome.result);
  }

  /** The function has returned or thrown: what is under way is stopped, and counts as not made. */
  end(): void {
    if (this.isUsed) this.#ending.abort();
  }

  /** Closes the attempt's id where it is still open, so that what was held can be undone. Never rejects. */
  async giveUp(): Promise<void> {
    if (this.#site === undefined) return;
    await this.#holding.close({ ...this.#site, id: this.#intent, agent: this.#agent });
  }

  #encode({ handler, arguments: args, undo, lease }: PlannedCall, { partition, snapshot }: CallSite): Sent {
    this.#attempt ??= this.#environment.newId();
    const hold: Hold = {
      kind: "hold",
      space: this.#environment.space.genesis.space,
      partition,
      id: this.#intent,
      agent: this.#agent,
      snapshot,
      attempt: this.#attempt,
      index: this.#count++,
      name: handler.name,
      arguments: args,
      undo,
      lease,
      timeout: handler.timeout,
    };
    // Encoded once: only the same bytes are the same hold.
    const record = this.#environment.codec.encodeIntent(hold);
    return { hold, record, digest: sha256(record) };
  }

  /** @returns the hold's offset. */
  async #hold({ hold, record, digest }: Sent): Promise<Offset> {
    const { partition, id } = hold;
    const decision = await this.#holding.decided({ partition, id, record, digest, signal: this.#signal });
    const { outcome } = decision;
    if (decision.digest === digest && outcome.kind === "held") return decision.offset;
    if (decision.digest === digest && outcome.kind === "repeated") return outcome.first;
    if (outcome.kind === "refused" && outcome.code === "invalid")
      throw new Failure("invalid_argument", `what was to be held breaks the rules of this space: ${outcome.reason}`);
    this.#superseded = supersededBy(hold, outcome.kind === "refused" ? outcome.code : outcome.kind);
    // Another run of the same action is at work: it commits, or its lease runs out.
    if (outcome.kind === "refused" && outcome.code === "id_reused")
      await this.#holding.free({ partition, id, agent: this.#agent, signal: this.#signal });
    throw this.#superseded;
  }

  #call(handler: Handler, { id, partition, index, arguments: args }: Hold, offset: Offset): Promise<CallOutcome> {
    const { space } = this.#environment.space.genesis;
    const side = "forward" as const;
    const key = idempotencyKey({ space, partition, offset, id, index, side });
    const context = { key, name: handler.name, side, intent: id, partition, offset, attempt: 1, forward: null };
    const signals = this.#signal === undefined ? [] : [this.#signal];
    return callHandler(handler, args, context, { signal: AbortSignal.any([this.#ending.signal, ...signals]) });
  }

  #report({ space, partition, index, arguments: args }: Hold, offset: Offset, outcome: CallOutcome): Promise<void> {
    const report: EffectReport = {
      kind: "report",
      space,
      partition,
      effect: { offset, index, side: "forward" },
      arguments: sha256(args),
      claim: null,
      worker: this.#agent,
      result: resultOf(outcome),
    };
    return this.#holding.report(report);
  }
}

function resultOf(outcome: CallOutcome): EffectResult {
  switch (outcome.kind) {
    case "done":
      return { kind: "done", result: outcome.result };
    case "not_done":
    case "refused":
      return { kind: "failed", error: outcome.error };
    case "unsettled":
      return { kind: "unknown", error: outcome.error };
  }
}

function notCalled(isInTime: boolean, lease: number): CallOutcome {
  const why = isInTime ? "the transaction had ended" : `it could not have ended within its lease of ${lease} ms`;
  return { kind: "not_done", error: `it was not called: ${why}`, delay: 0 };
}

function tooLate(name: string, lease: number): Failure {
  return new Failure(
    "unavailable",
    `${JSON.stringify(name)} was not called: the verdict on its hold came so late that the call could not have ended within ` +
      `its lease of ${lease} ms; try again, or give it a longer lease`,
    { canRetry: true },
  );
}

function failed(name: string, outcome: Exclude<CallOutcome, { readonly kind: "done" }>): CallError {
  return new CallError(outcome.kind, `the call of ${JSON.stringify(name)} failed: ${outcome.error}`);
}

function ended(name: string): Failure {
  return new Failure(
    "invalid_argument",
    `the transaction ended before the call of ${JSON.stringify(name)} did, which is undone; await everything that uses tx`,
  );
}

function supersededBy({ id }: Hold, why: string): Failure {
  return new Failure(
    "aborted",
    `the attempt ${JSON.stringify(id)} can no longer commit, and called nothing: its id was decided, or another run of the ` +
      `same action holds something under it (${why})`,
  );
}

function tooMany(holds: number): Failure {
  return new Failure(
    "invalid_argument",
    `this transaction has made ${holds} calls that are held, which is the limit of this space (holds); ` +
      "make one call that does several things, or split the work over several transactions",
  );
}
