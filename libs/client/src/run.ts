import { isFailure, type Offset, type RefusalCode, type Submit, type Version } from "@seriatim/protocol";
import type { Decision } from "@seriatim/view";
import type { Answer, Commit } from "./answer.ts";
import { contendedBy } from "./contention.ts";
import type { RunOptions } from "./coordinator.ts";
import type { Environment } from "./environment.ts";
import { HeldCalls } from "./held-calls.ts";
import type { Holding } from "./holding.ts";
import { Memo } from "./memo.ts";
import { OpenTransaction } from "./open-transaction.ts";
import { refusalOf } from "./refusal.ts";
import type { Place } from "./rivals.ts";
import type { Refusal, RunCommitted, RunResult } from "./result.ts";
import { checkedOptions, type RunSettings } from "./run-options.ts";
import { decodeResult, encodeResult } from "./run-result.ts";
import { Standing } from "./standing.ts";
import type { Submitter } from "./submitter.ts";
import type { Transaction } from "./transaction.ts";
import { throwIfAborted } from "./waiting.ts";

type Body<T> = (tx: Transaction) => T | Promise<T>;

/** What became of one attempt: an end, or a reason to begin another one. */
type Outcome<T> = { readonly kind: "result"; readonly result: RunResult<T> } | Refused | GivenUp;

interface Refused {
  readonly kind: "refused";
  readonly refusal: Refusal;
  readonly canRetry: boolean;
  /** What it contends for with others, by name. */
  readonly contended: readonly string[];
}

/** The function threw, but on grounds that were overwritten meanwhile. */
interface GivenUp {
  readonly kind: "given_up";
  readonly error: unknown;
  readonly contended: readonly string[];
  readonly partition: number;
}

/** What the function returned, as its intent will carry it, and how long it took. */
type Thought = GivenUp | { readonly kind: "thought"; readonly result: Uint8Array | null; readonly ms: number };

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
    // Of holds and expires, which no run's submit is.
    case "closed":
    case "no_hold":
    case "not_expired":
      return false;
  }
}

/** What was given up left no refusal in the log. */
function placeOf(outcome: Refused | GivenUp): Place {
  return outcome.kind === "refused" ? outcome.refusal.version : { partition: outcome.partition, offset: Infinity };
}

/** One call of {@link Coordinator.run}. */
export class Run<T> {
  readonly #environment: Environment;
  readonly #submitter: Submitter;
  readonly #holding: Holding;
  readonly #settings: RunSettings;
  readonly #minVersion: Version | undefined;
  readonly #body: Body<T>;
  readonly #memo = new Memo();
  readonly #standing: Standing;
  /** How often the function was called. */
  #calls = 0;

  /** @throws Failure `invalid_argument`. */
  constructor(
    environment: Environment,
    { submitter, holding }: { readonly submitter: Submitter; readonly holding: Holding },
    options: RunOptions,
    body: Body<T>,
  ) {
    this.#environment = environment;
    this.#submitter = submitter;
    this.#holding = holding;
    this.#settings = checkedOptions(options, environment.space.genesis, environment.newId);
    this.#minVersion = options.minVersion;
    this.#body = body;
    this.#standing = new Standing(environment, this.#settings.agent, this.#settings.signal);
  }

  async result(): Promise<RunResult<T>> {
    try {
      return await this.#result();
    } finally {
      this.#standing.leave();
    }
  }

  async #result(): Promise<RunResult<T>> {
    const { signal } = this.#settings;
    if (this.#minVersion !== undefined) await this.#reached(this.#minVersion);
    for (;;) {
      throwIfAborted(signal);
      this.#environment.checkOpen();
      const began = this.#environment.clock();
      const outcome = await this.#attempt();
      if (outcome.kind === "result") return outcome.result;
      const isLast = this.#calls >= this.#settings.attempts;
      if (outcome.kind === "given_up") {
        if (isLast) throw outcome.error;
      } else if (isLast || !outcome.canRetry) {
        return { outcome: "refused", refusal: outcome.refusal, attempts: this.#calls };
      } else {
        await this.#catchUp(outcome.refusal);
      }
      await this.#pause(outcome, this.#environment.clock() - began);
    }
  }

  /**
   * Until the next attempt has something to gain. After a conflict that is at once, or when its turn has come: what won
   * stands already, and to sleep would leave the key idle.
   */
  async #pause(outcome: Refused | GivenUp, ms: number): Promise<void> {
    if (outcome.kind === "given_up" || outcome.refusal.code === "conflict")
      return this.#standing.again(outcome.contended, ms, placeOf(outcome));
    await this.#environment.backOff(this.#calls - 1, this.#settings.signal);
  }

  /** So that the next attempt does not read what refused this one. */
  async #catchUp({ version, conflicts }: Refusal): Promise<void> {
    const offset = Math.max(version.offset, ...conflicts.map((conflict) => conflict.version.offset));
    await this.#reached({ partition: version.partition, offset });
  }

  async #reached(version: Version): Promise<void> {
    const { space, verdictTimeout: timeout } = this.#environment;
    const { signal } = this.#settings;
    await space.reached(version, { timeout, ...(signal === undefined ? {} : { signal }) });
  }

  async #attempt(): Promise<Outcome<T>> {
    const { space } = this.#environment;
    // The snapshot first and then the id: what is decided in between is seen, in the view now or as a conflict.
    const snapshots = this.#snapshots();
    const next = this.#settings.ids.next(space.view, this.#settings.partition);
    if ("committed" in next) return this.#repeated(next.committed);
    if (await this.#isTaken(next.intent)) return this.#attempt();

    const { agent, signal } = this.#settings;
    const at = { agent, intent: next.intent, ...(signal === undefined ? {} : { signal }) };
    const calls = new HeldCalls(this.#environment, this.#holding, at);
    try {
      const outcome = await this.#decide(next.intent, snapshots, calls);
      if (outcome.kind !== "result") await calls.giveUp();
      return outcome;
    } catch (error) {
      // Where the intent's outcome is unknown, the submitter has tried to close the id already.
      if (!calls.isSubmitted || !isFailure(error, "unknown_outcome")) await calls.giveUp();
      throw error;
    }
  }

  async #decide(id: string, snapshots: readonly Offset[], calls: HeldCalls): Promise<Outcome<T>> {
    const { counters } = this.#environment;
    this.#calls += 1;
    counters.attempts += 1;
    if (this.#calls > 1) counters.retries += 1;
    const tx = this.#open(snapshots, id, calls);
    const thought = await this.#think(tx, calls);
    if (thought.kind === "given_up") return thought;
    if (tx.isEmpty && this.#settings.id === undefined) return this.#nothingToDecide(id, thought.result);

    throwIfAborted(this.#settings.signal);
    const intent = this.#intent(id, tx, thought.result);
    this.#standing.note(intent);
    calls.isSubmitted = true;
    const outcome = this.#judge(intent, await this.#submitter.submit(intent, this.#settings.signal));
    if (outcome.kind === "refused") counters.msWasted += thought.ms;
    return outcome;
  }

  /**
   * Whether another run of the same action holds something under the attempt's id, after waiting until that is decided:
   * what it holds must not stay for what this one commits.
   */
  async #isTaken(id: string): Promise<boolean> {
    const { id: action, partition, agent, signal } = this.#settings;
    if (action === undefined || this.#environment.space.view.holds(partition, id).length === 0) return false;
    await this.#holding.free({ partition, id, agent, signal });
    return true;
  }

  /** Calls the function. */
  async #think(tx: OpenTransaction, calls: HeldCalls): Promise<Thought> {
    const { space, counters, clock } = this.#environment;
    const began = clock();
    try {
      const result = encodeResult(await this.#body(tx), space.genesis.limits);
      if (calls.superseded === undefined) return { kind: "thought", result, ms: clock() - began };
      throw calls.superseded;
    } catch (error) {
      if (calls.superseded !== undefined) {
        counters.msWasted += clock() - began;
        return { kind: "given_up", error, contended: [], partition: tx.snapshot.partition };
      }
      // An error on overwritten grounds is no news yet: as likely as not it is the abort that the signal asked for.
      if (tx.overwritten === undefined) throw error;
      counters.msWasted += clock() - began;
      return {
        kind: "given_up",
        error,
        contended: this.#standing.likely(tx.namesAround(tx.overwritten)),
        partition: tx.snapshot.partition,
      };
    } finally {
      tx.end();
      counters.msThought += clock() - began;
    }
  }

  #open(snapshots: readonly Offset[], intent: string, calls: HeldCalls): OpenTransaction {
    const { agent, isolation, partitionKey, signal } = this.#settings;
    return new OpenTransaction(this.#environment.space, {
      agent,
      attempt: this.#calls,
      isolation,
      partitionKey,
      snapshots,
      memo: this.#memo,
      signal,
      standing: this.#standing,
      calls,
      handlers: this.#environment.handlers,
      renew: () => this.#renewed(intent),
    });
  }

  #snapshots(): Offset[] {
    const { view, genesis } = this.#environment.space;
    return Array.from({ length: genesis.partitions }, (_, partition) => view.applied(partition));
  }

  /** The snapshots first here too: an id that is decided after them is seen as any conflict is. */
  #renewed(intent: string): Offset[] | undefined {
    const { ids, partition } = this.#settings;
    const snapshots = this.#snapshots();
    return ids.isOpen(intent, this.#environment.space.view, partition) ? snapshots : undefined;
  }

  #intent(id: string, tx: OpenTransaction, result: Uint8Array | null): Submit {
    const { space } = this.#environment.space.genesis;
    const { agent, isolation } = this.#settings;
    return { kind: "submit", space, id, agent, isolation, ...tx.draft(), result };
  }

  #judge(intent: Submit, answer: Answer): Outcome<T> {
    const { space, counters } = this.#environment;
    if (answer.kind === "committed") {
      counters.commits += 1;
      return { kind: "result", result: this.#committed(answer.decision, answer.result, false) };
    }
    const { decision } = answer;
    // Somebody else runs under the same id, and was first: what that one came to is what both get.
    if (answer.code === "id_reused" && decision.outcome.kind === "committed") return this.#repeated(decision);
    counters.refused(answer.code);
    this.#environment.rivals.noteOwn(intent.id);
    const refusal = refusalOf(space, answer, intent);
    // It was refused as well: its number is spent, and the next one is free to send.
    const canRetry = isTransient(answer.code) || answer.code === "id_reused";
    const contended =
      answer.code === "conflict" && answer.outcome !== undefined ? contendedBy(intent, answer.outcome) : [];
    return { kind: "refused", refusal, canRetry, contended };
  }

  #repeated(decision: Decision): Outcome<T> {
    this.#environment.counters.repeated += 1;
    const result = decision.outcome.kind === "committed" ? decision.outcome.result : null;
    return { kind: "result", result: this.#committed(decision, result, true) };
  }

  #committed({ partition, offset, id }: Commit, result: Uint8Array | null, repeated: boolean): RunCommitted<T> {
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
}
