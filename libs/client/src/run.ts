import { Failure, toBytes } from "@seriatim/protocol";
import type { Isolation, Offset, RefusalCode, Submit } from "@seriatim/protocol";
import type { Decision } from "@seriatim/view";
import type { Answer } from "./answer.ts";
import { businessIds, randomIds, type AttemptIds } from "./attempt-ids.ts";
import type { RunOptions } from "./coordinator.ts";
import type { Environment } from "./environment.ts";
import { Memo } from "./memo.ts";
import { OpenTransaction } from "./open-transaction.ts";
import { Placement } from "./placement.ts";
import { refusalOf } from "./refusal.ts";
import type { Refusal, RunCommitted, RunResult } from "./result.ts";
import { decodeResult, encodeResult } from "./run-result.ts";
import type { Submitter } from "./submitter.ts";
import type { Transaction } from "./transaction.ts";
import { throwIfAborted } from "./waiting.ts";

const defaultAttempts = 10;

type Body<T> = (tx: Transaction) => T | Promise<T>;

/** What became of one attempt: an end, or a reason to begin another one. */
type Outcome<T> =
  | { readonly kind: "result"; readonly result: RunResult<T> }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly canRetry: boolean }
  /** The function threw, but on grounds that were overwritten meanwhile. */
  | { readonly kind: "given_up"; readonly error: unknown };

/**
 * Whether another attempt, on a fresh snapshot, may succeed where the same function was refused. `id_reused` is not for
 * want of another id: a run looks up what the other one came to, and goes on from there. `not_in_time` is not either: the
 * function has declared that its answer does not hold at another time, and calling it again would pay for the same one.
 */
export function isTransient(code: RefusalCode): boolean {
  switch (code) {
    case "conflict":
    case "too_old":
    case "cancelled":
      return true;
    case "invalid":
    case "id_reused":
    case "not_in_time":
    case "too_large":
      return false;
  }
}

/** One call of {@link Coordinator.run}. */
export class Run<T> {
  readonly #environment: Environment;
  readonly #submitter: Submitter;
  readonly #options: RunOptions;
  readonly #body: Body<T>;
  readonly #isolation: Isolation;
  readonly #attempts: number;
  readonly #ids: AttemptIds;
  readonly #memo = new Memo();
  /** How often the function was called. */
  #calls = 0;

  /** @throws Failure `invalid_argument`. */
  constructor(environment: Environment, submitter: Submitter, options: RunOptions, body: Body<T>) {
    const { genesis } = environment.space;
    this.#environment = environment;
    this.#submitter = submitter;
    this.#options = options;
    this.#body = body;
    this.#isolation = options.isolation ?? "serializable";
    this.#attempts = checkedAttempts(options.attempts ?? defaultAttempts);
    checkName(options.agent, "agent", genesis.limits.nameBytes);
    this.#ids = randomIds;
    if (options.id === undefined) return;
    checkName(options.id, "id", genesis.limits.nameBytes);
    if (this.#placement().partition === undefined) throw partitionKeyNeeded(options.id);
    this.#ids = businessIds(options.id, genesis.limits.nameBytes);
  }

  async result(): Promise<RunResult<T>> {
    const { signal } = this.#options;
    await this.#reachMinVersion();
    for (;;) {
      throwIfAborted(signal);
      this.#environment.checkOpen();
      const outcome = await this.#attempt();
      if (outcome.kind === "result") return outcome.result;
      const isLast = this.#calls >= this.#attempts;
      if (outcome.kind === "given_up") {
        if (isLast) throw outcome.error;
      } else if (isLast || !outcome.canRetry) {
        return { outcome: "refused", refusal: outcome.refusal, attempts: this.#calls };
      } else {
        await this.#catchUp(outcome.refusal);
      }
      await this.#environment.backOff(this.#calls - 1, signal);
    }
  }

  async #reachMinVersion(): Promise<void> {
    const { minVersion, signal } = this.#options;
    if (minVersion === undefined) return;
    const { space, verdictTimeout } = this.#environment;
    await space.reached(minVersion, { timeout: verdictTimeout, ...(signal === undefined ? {} : { signal }) });
  }

  /** So that the next attempt does not read what refused this one. */
  async #catchUp({ version, conflicts }: Refusal): Promise<void> {
    const { signal } = this.#options;
    const { space, verdictTimeout } = this.#environment;
    const offset = Math.max(version.offset, ...conflicts.map((conflict) => conflict.version.offset));
    const options = { timeout: verdictTimeout, ...(signal === undefined ? {} : { signal }) };
    await space.reached({ partition: version.partition, offset }, options);
  }

  async #attempt(): Promise<Outcome<T>> {
    const { space, counters, clock } = this.#environment;
    // The snapshot first and then the id: what is decided in between is seen, in the view now or as a conflict.
    const snapshots = Array.from({ length: space.genesis.partitions }, (_, p) => space.view.position(p).offset);
    const next = this.#ids.next(space.view, this.#placement().partition ?? 0);
    if ("committed" in next) return this.#repeated(next.committed);

    this.#calls += 1;
    counters.attempts += 1;
    if (this.#calls > 1) counters.retries += 1;
    const tx = this.#open(snapshots);
    const began = clock();
    let result: Uint8Array | null;
    try {
      result = encodeResult(await this.#body(tx), space.genesis.limits);
    } catch (error) {
      // An error on overwritten grounds is no news yet: as likely as not it is the abort that the signal asked for.
      if (!tx.isOverwritten) throw error;
      counters.msWasted += clock() - began;
      return { kind: "given_up", error };
    } finally {
      tx.end();
      counters.msThought += clock() - began;
    }
    const thought = clock() - began;
    if (tx.isEmpty && this.#options.id === undefined) return this.#nothingToDecide(next.intent, result);

    throwIfAborted(this.#options.signal);
    const intent = this.#intent(next.intent, tx, result);
    const answer = await this.#submitter.submit(intent, this.#options.signal);
    const outcome = this.#judge(intent, answer);
    if (outcome.kind === "refused") counters.msWasted += thought;
    return outcome;
  }

  #open(snapshots: readonly Offset[]): OpenTransaction {
    const { agent, partitionKey, signal } = this.#options;
    return new OpenTransaction(this.#environment.space, {
      agent,
      attempt: this.#calls,
      isolation: this.#isolation,
      partitionKey,
      snapshots,
      memo: this.#memo,
      signal,
    });
  }

  #intent(id: string, tx: OpenTransaction, result: Uint8Array | null): Submit {
    const { space } = this.#environment.space.genesis;
    const { agent } = this.#options;
    return { kind: "submit", space, id, agent, isolation: this.#isolation, ...tx.draft(), effects: [], result };
  }

  #judge(intent: Submit, answer: Answer): Outcome<T> {
    const { space, counters } = this.#environment;
    const { decision } = answer;
    if (answer.kind === "committed") {
      counters.commits += 1;
      return { kind: "result", result: this.#committed(decision, answer.result, false) };
    }
    // Somebody else runs under the same id, and was first: what that one came to is what both get.
    if (answer.code === "id_reused" && decision.outcome.kind === "committed") return this.#repeated(decision);
    counters.refused(answer.code);
    const refusal = refusalOf(space, answer, intent);
    // It was refused as well: its number is spent, and the next one is free to send.
    const canRetry = isTransient(answer.code) || answer.code === "id_reused";
    return { kind: "refused", refusal, canRetry };
  }

  #repeated(decision: Decision): Outcome<T> {
    this.#environment.counters.repeated += 1;
    const result = decision.outcome.kind === "committed" ? decision.outcome.result : null;
    return { kind: "result", result: this.#committed(decision, result, true) };
  }

  #committed(decision: Decision, result: Uint8Array | null, repeated: boolean): RunCommitted<T> {
    const { partition, offset, id } = decision;
    return {
      outcome: "committed",
      value: decodeResult(result) as T,
      attempts: this.#calls,
      version: { partition, offset },
      intent: id ?? "",
      repeated,
    };
  }

  #nothingToDecide(intent: string, result: Uint8Array | null): Outcome<T> {
    this.#environment.counters.commits += 1;
    const value = decodeResult(result) as T;
    const attempts = this.#calls;
    return {
      kind: "result",
      result: { outcome: "committed", value, attempts, version: undefined, intent, repeated: false },
    };
  }

  #placement(): Placement {
    return new Placement(this.#environment.space.genesis, this.#options.partitionKey);
  }
}

function checkedAttempts(attempts: number): number {
  if (Number.isSafeInteger(attempts) && attempts >= 1) return attempts;
  throw new Failure("invalid_argument", `attempts is ${attempts}; it is a whole number from 1`);
}

/** @throws Failure `invalid_argument` when it is no text, empty or too long. */
export function checkName(name: string, what: "agent" | "id", nameBytes: number): void {
  if (typeof name !== "string" || name === "" || !name.isWellFormed())
    throw new Failure("invalid_argument", `${what} is ${JSON.stringify(name)}; it is a text of at least one character`);
  const { length } = toBytes(name);
  if (length > nameBytes)
    throw new Failure(
      "invalid_argument",
      `${what} is ${length} bytes long in UTF-8; at most ${nameBytes} are allowed in this space (nameBytes)`,
    );
}

function partitionKeyNeeded(id: string): Failure {
  return new Failure(
    "invalid_argument",
    `a run under an id (${JSON.stringify(id)}) needs a partitionKey where the space has several partitions, or two attempts ` +
      "could be decided in two of them and both commit: give the first segment of the keys that it touches",
  );
}
