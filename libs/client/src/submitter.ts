import { Failure, isFailure, sha256, type Cancel, type Submit } from "@seriatim/protocol";
import type { Decision } from "@seriatim/view";
import { answerOf, type Answer } from "./answer.ts";
import type { Environment } from "./environment.ts";
import type { Appended } from "./space.ts";
import { traceHeaders } from "./trace.ts";
import type { Awaited } from "./verdicts.ts";
import { aborted, throwIfAborted } from "./waiting.ts";

/** Whoever ends a call wants to be gone; so long, in ms, the cancel of what was sent may still take. */
const abortedPatience = 5_000;

/** By more the verdicts must not trail the end of a partition's intents: who waits behind that many has waited long. */
const mostBacklog = 50_000;

type Sent = "appended" | "unknown" | Appended;

interface Tried {
  readonly kind: "appended" | "again" | "failed";
  readonly error: unknown;
}

/** Sends intents, and does not rest until it knows what became of them, or can say honestly that it does not. */
export class Submitter {
  readonly #environment: Environment;
  /** Intents on their way: neither answered nor given up. */
  #unresolved = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /**
   * Appends the intent and waits for the decision that settles its id. Where that does not come, or it is not known
   * whether the intent was appended, the id is closed by a cancel: the first of the two in the log wins (invariant 6).
   *
   * @throws Failure `overloaded`, `unavailable` or `aborted` (nothing was written), `unknown_outcome`,
   *   `invalid_argument`.
   */
  async submit(intent: Submit, signal: AbortSignal | undefined): Promise<Answer> {
    this.#checkLoad(intent.partition);
    this.#unresolved += 1;
    try {
      return await this.#settle(intent, signal);
    } finally {
      this.#unresolved -= 1;
    }
  }

  /** Before the log, where a refusal costs nobody anything: what is appended has to be decided. */
  #checkLoad(partition: number): void {
    const { space, mostUnresolved } = this.#environment;
    if (this.#unresolved >= mostUnresolved)
      throw overloaded(
        `${this.#unresolved} intents of this coordinator wait for their verdicts (unresolved: ${mostUnresolved})`,
      );
    const backlog = space.backlog?.(partition) ?? 0;
    if (backlog > mostBacklog)
      throw overloaded(`${backlog} intents of partition ${partition} have no verdict yet; ${mostBacklog} may wait`);
  }

  async #settle(intent: Submit, signal: AbortSignal | undefined): Promise<Answer> {
    const { space, verdicts, verdictTimeout } = this.#environment;
    // Encoded once: only the same bytes are the same intent.
    const record = this.#encode(intent);
    const { partition, id, snapshot, result } = intent;
    // Where the append says what was decided, hardly anybody looks it up: then no query is spent on where to look.
    const before = space.decidesOnAppend === true ? snapshot : space.view.applied(partition);
    const sent = await this.#send(partition, record, signal);
    const appended = typeof sent === "object" ? sent : undefined;
    if (appended?.isCommitted === true)
      return { kind: "committed", decision: { partition, id, offset: appended.offset, time: appended.time }, result };
    const digest = sha256(record);
    const since = appended === undefined ? before : appended.offset - 1;
    const awaited = { partition, id, digests: [digest], since };
    const decision = sent === "unknown" ? undefined : await verdicts.await(awaited, verdictTimeout, signal);
    return answerOf(decision ?? (await this.#cancel(intent, awaited, signal)), digest);
  }

  #encode(intent: Submit): Uint8Array {
    const { codec, space } = this.#environment;
    const record = codec.encodeIntent(intent);
    const { recordBytes } = space.genesis.limits;
    if (record.length <= recordBytes) return record;
    throw new Failure(
      "invalid_argument",
      `the intent is ${record.length} bytes as encoded; at most ${recordBytes} are allowed in this space (recordBytes): ` +
        "write smaller values, read ranges in place of many keys, or split the work over several transactions",
    );
  }

  /** Retries what certainly did not happen. */
  async #send(partition: number, record: Uint8Array, signal: AbortSignal | undefined): Promise<Sent> {
    const { clock, verdictTimeout, space } = this.#environment;
    const deadline = clock() + verdictTimeout;
    const headers = traceHeaders();
    for (let retry = 0; ; retry += 1) {
      throwIfAborted(signal);
      this.#environment.checkOpen();
      try {
        const appended = space.append(partition, record, { headers });
        const ending = await this.#environment.settledWithin(appended, deadline - clock(), signal);
        return ending === "settled" ? ((await appended) ?? "appended") : "unknown";
      } catch (error) {
        if (!isFailure(error) || error.code === "unknown_outcome") return "unknown";
        const delay = this.#environment.delay(retry);
        if (error.code !== "unavailable" || clock() + delay >= deadline) throw error;
        await this.#environment.sleep(delay, signal);
      }
    }
  }

  async #cancel(intent: Submit, submitted: Awaited, signal: AbortSignal | undefined): Promise<Decision> {
    const { codec, counters, clock, verdictTimeout } = this.#environment;
    counters.unknown += 1;
    const { space, partition, id, agent, snapshot } = intent;
    const cancel: Cancel = { kind: "cancel", space, partition, id, agent, snapshot };
    const record = codec.encodeIntent(cancel);
    const awaited = { ...submitted, digests: [...submitted.digests, sha256(record)] };
    const isAborted = signal?.aborted === true;
    const deadline = clock() + (isAborted ? Math.min(abortedPatience, verdictTimeout) : verdictTimeout);
    const decision = await this.insist(awaited, record, deadline, undefined);
    // Committed is what it is, also for who wanted to stop it.
    if (isAborted && decision.outcome.kind !== "committed") throw aborted(signal);
    return decision;
  }

  /**
   * Appends the record, again and again until it stands, and waits for a decision that settles the id or one of the
   * digests awaited.
   * @throws Failure `unknown_outcome`; `aborted` when the signal fires, whatever stands by then.
   */
  async insist(
    awaited: Awaited,
    record: Uint8Array,
    deadline: number,
    signal: AbortSignal | undefined,
  ): Promise<Decision> {
    const { verdicts, clock, space } = this.#environment;
    throwIfAborted(signal);
    const stop = new AbortController();
    const until = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
    const decided = verdicts.await(awaited, deadline - clock(), until);
    let cause: unknown;
    for (let retry = 0; clock() < deadline && !until.aborted; retry += 1) {
      const tried = await this.#tryAppend(() => space.append(awaited.partition, record), deadline - clock());
      cause = tried.error;
      if (tried.kind !== "again") {
        if (tried.kind === "failed") stop.abort();
        break;
      }
      // The first record's decision may come by itself meanwhile.
      const ending = await this.#environment.settledWithin(decided, this.#environment.delay(retry));
      if (ending === "settled") break;
    }
    const decision = await decided;
    if (decision !== undefined) return decision;
    throwIfAborted(signal);
    throw unknownOutcome(awaited, cause);
  }

  /** Calls `append` until it succeeds, for as long as a verdict is waited for. @throws what it failed with last. */
  async appended(append: () => Promise<unknown>): Promise<void> {
    const { clock, verdictTimeout } = this.#environment;
    const deadline = clock() + verdictTimeout;
    for (let retry = 0; ; retry += 1) {
      const { kind, error } = await this.#tryAppend(append, deadline - clock());
      if (kind === "appended") return;
      const delay = this.#environment.delay(retry);
      if (kind === "failed" || clock() + delay >= deadline) throw error ?? late();
      await this.#environment.sleep(delay, undefined);
    }
  }

  async #tryAppend(append: () => Promise<unknown>, timeout: number): Promise<Tried> {
    try {
      const ending = await this.#environment.settledWithin(append(), timeout);
      return { kind: ending === "settled" ? "appended" : "again", error: undefined };
    } catch (error) {
      const canRetry = !isFailure(error) || isFailure(error, "unavailable", "unknown_outcome");
      return { kind: canRetry ? "again" : "failed", error };
    }
  }
}

function late(): Failure {
  return new Failure("unavailable", "the effects log did not answer in time", { canRetry: true });
}

function overloaded(why: string): Failure {
  const remedy =
    "nothing was written; try again when they are decided, send less at once, or let more sequencers decide";
  return new Failure("overloaded", `${why}: ${remedy}`, { canRetry: true });
}

function unknownOutcome({ partition, id }: Awaited, cause: unknown): Failure {
  return new Failure(
    "unknown_outcome",
    `it is not known whether intent ${JSON.stringify(id)} has committed: neither it nor its cancel was decided in time in ` +
      `partition ${partition}; ask coordinator.lookup(${JSON.stringify(id)}) before doing the same again under another id`,
    { cause },
  );
}
