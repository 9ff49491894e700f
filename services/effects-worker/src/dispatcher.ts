import { setMaxListeners } from "node:events";
import type { Handlers } from "@seriatim/effects";
import { assert, type Bytes, type EffectRecord, type EffectResult } from "@seriatim/protocol";
import { newAttempt, recordOf, standing, type Attempt } from "./attempt.ts";
import { performCall } from "./calls.ts";
import { newestClaim } from "./core/index.ts";
import { placeOf, type PartitionFold } from "./fold/partition-fold.ts";
import { Leads } from "./leads.ts";
import { Notices } from "./notices.ts";
import type { Outbox } from "./outbox.ts";
import type { Slots } from "./slots.ts";
import { Steps } from "./steps.ts";
import { isOpenRow, keyOf, type Definition, type EffectId, type Row } from "./store/row.ts";
import type { Timing } from "./timing.ts";

/** After how long without reading it back something is sent again, in ms. */
const resendAfter = 2_000;

/** After how long it is said again that a handler is not known here, in ms. */
const sayAgainAfter = 60_000;

/** Does not fire. */
const never = new AbortController().signal;

export interface DispatcherOptions {
  readonly space: Bytes;
  readonly partition: number;
  readonly worker: string;
  readonly handlers: Handlers;
  readonly fold: PartitionFold;
  readonly outbox: Outbox;
  readonly slots: Slots;
  readonly timing: Timing;
  /** See `Situation`. */
  readonly grace: number;
  readonly resultBytes: number;
  /** An effect is next whose handler this worker does not know. */
  readonly onMissingHandler: (name: string) => void;
}

/** Performs what the core says is to be done next about the effects of one partition. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #notices: Notices;
  readonly #leads: Leads;
  readonly #steps: Steps;
  readonly #attempts = new Map<string, Attempt>();
  readonly #toLookAt = new Map<string, EffectId>();
  readonly #abandon = new AbortController();
  #isStopped = false;
  #isEnded = false;
  #isLooking = false;
  #isBegun = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#notices = new Notices(options.timing);
    this.#leads = new Leads(options.worker);
    this.#steps = new Steps(options, this.#notices, this.#leads);
    // One for each call under way.
    setMaxListeners(0, this.#abandon.signal, never);
  }

  /** How many attempts this worker is making. */
  get underWay(): number {
    return this.#attempts.size;
  }

  /** Whether a call is being made. */
  get isCalling(): boolean {
    for (const { phase } of this.#attempts.values()) if (phase === "calling") return true;
    return false;
  }

  /** Begins to act, on what was read until now. */
  begin(): void {
    this.#isBegun = true;
    const { fold, partition } = this.#options;
    for (const { offset, index, digest } of fold.lanes.heads())
      this.#look({ partition, offset, index, digest, side: "forward" });
    for (const id of fold.undos) this.#look(id);
  }

  /** The log has said something about an effect. */
  changed(row: Row, record: EffectRecord | undefined): void {
    if (record?.kind === "claim") this.#leads.note(row);
    if (!this.#isBegun) return;
    const key = keyOf(row);
    if (isOpenRow(row) || this.#attempts.has(key)) {
      this.#notices.renew(key);
      this.#look(row);
    } else this.#notices.forget(key);
    if (row.definition?.kind === "deferred") this.#lookBehind(row, row.definition.lane);
  }

  /** Claims nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#notices.end();
    for (const attempt of this.#attempts.values()) if (attempt.phase === "claiming") this.#end(attempt);
  }

  /** Ends the calls under way that may be made again, by others. */
  abandon(): void {
    this.#abandon.abort(new Error("the worker was stopped"));
  }

  /** Nothing is read or sent any more: what a call that is still under way comes to is left to those who take over. */
  end(): void {
    this.stop();
    this.abandon();
    this.#isEnded = true;
  }

  #lookBehind(row: Row, lane: string): void {
    const { fold, partition } = this.#options;
    for (const { offset, index, digest } of fold.lanes.behind(placeOf(row, lane)))
      this.#look({ partition, offset, index, digest, side: "forward" });
  }

  /** Soon, with all that is to be looked at by then. */
  #look(id: EffectId): void {
    this.#toLookAt.set(keyOf(id), id);
    if (this.#isLooking) return;
    this.#isLooking = true;
    queueMicrotask(() => {
      this.#isLooking = false;
      const ids = [...this.#toLookAt.values()];
      this.#toLookAt.clear();
      // Whoever waited for room may be told of it once all is over.
      if (this.#isEnded) return;
      for (const each of ids) this.#consider(this.#options.fold.get(each));
    });
  }

  #consider(row: Row): void {
    const { definition } = row;
    if (definition === null || definition.kind === "hold") return;
    const attempt = this.#attempts.get(keyOf(row));
    if (attempt !== undefined) this.#goOn(attempt, row, definition);
    else if (!this.#isStopped && isOpenRow(row) && this.#isNext(row, definition)) this.#begin(row, definition);
  }

  #isNext(row: Row, definition: Definition): boolean {
    return definition.kind !== "deferred" || this.#options.fold.lanes.mayClaim(placeOf(row, definition.lane));
  }

  #begin(row: Row, { name }: Definition): void {
    const step = this.#steps.of(row, name, undefined);
    switch (step?.kind) {
      case undefined:
        return this.#notices.lookAt(keyOf(row), this.#options.timing.now() + sayAgainAfter, () => this.#look(row));
      case "nothing":
        return;
      case "wait":
        return this.#notices.lookAt(keyOf(row), step.until, () => this.#look(row));
      case "claim":
        if (this.#hasSlot(row)) this.#make(row, step.attempt);
        return;
      case "report":
        if (this.#hasSlot(row)) this.#make(row, row.progress.attempt, step.result);
        return;
      case "call":
      case "reconcile":
        throw new Error(`a ${step.kind} without a claim`);
    }
  }

  /** Slots are those of all partitions; without one it is looked at again when there is one. */
  #hasSlot(row: Row): boolean {
    return this.#options.slots.take(`${row.partition} ${keyOf(row)}`, () => this.#look(row));
  }

  #make(row: Row, attempt: number, result?: EffectResult): void {
    const made = newAttempt(row, attempt, this.#options.timing.now(), result);
    this.#attempts.set(keyOf(row), made);
    this.#send(made);
  }

  /** Goes on with an attempt by what the log has said of it. */
  #goOn(attempt: Attempt, row: Row, definition: Definition): void {
    const { worker, fold, timing } = this.#options;
    if (attempt.phase === "calling") return;
    const stands = standing(attempt, row.progress, worker);
    if (stands === "over") {
      this.#end(attempt);
      return this.#look(row);
    }
    const isFirst = definition.kind !== "deferred" || fold.lanes.mayCall(placeOf(row, definition.lane));
    if (attempt.phase === "claiming" && stands === "won") {
      // What was to be done before is done, but has not been read back.
      if (isFirst) this.#act(attempt, row, definition);
      return;
    }
    const isDue = timing.now() >= attempt.sentAt + resendAfter;
    if (isDue && (isFirst || attempt.phase === "reporting")) this.#send(attempt);
    else this.#notices.lookAt(keyOf(row), attempt.sentAt + resendAfter, () => this.#look(row));
  }

  /** The claim was won. */
  #act(attempt: Attempt, row: Row, { name }: Definition): void {
    const step = this.#steps.of(row, name, attempt.claimedAt);
    switch (step?.kind) {
      case "call":
      case "reconcile":
        attempt.phase = "calling";
        void this.#call(attempt, row, name, step.kind === "reconcile");
        return;
      case "report":
        return this.#reportOn(attempt, step.result);
      case "claim":
        attempt.attempt = step.attempt;
        attempt.claimedAt = this.#options.timing.now();
        return this.#send(attempt);
      case "nothing":
      case "wait":
      case undefined:
        this.#end(attempt);
    }
  }

  /** Never rejects. */
  async #call(attempt: Attempt, row: Row, name: string, asksOnly: boolean): Promise<void> {
    const { space, handlers, timing, resultBytes } = this.#options;
    const handler = handlers.get(name);
    assert(handler !== undefined, `the handler ${name} is gone`);
    // One that may not be made twice is waited for.
    const signal = handler.idempotent ? this.#abandon.signal : never;
    const chance = timing.random();
    const result = await performCall({ space, handler, row, chance, signal, resultBytes, asksOnly });
    if (!this.#isEnded) this.#reportOn(attempt, result);
  }

  #reportOn(attempt: Attempt, result: EffectResult): void {
    attempt.phase = "reporting";
    attempt.result = result;
    this.#send(attempt);
    const { definition } = this.#options.fold.get(attempt.id);
    if (result.kind !== "done" || definition?.kind !== "deferred") return;
    // Whatever comes after it may be claimed by the next record.
    this.#options.fold.lanes.assumeDone(placeOf(attempt.id, definition.lane));
    this.#lookBehind(this.#options.fold.get(attempt.id), definition.lane);
  }

  #send(attempt: Attempt): void {
    const { timing, outbox, fold, space, worker } = this.#options;
    attempt.sentAt = timing.now();
    outbox.add(recordOf(attempt, fold.get(attempt.id).progress, { space, worker }));
    this.#notices.lookAt(keyOf(attempt.id), attempt.sentAt + resendAfter, () => this.#look(attempt.id));
  }

  #end(attempt: Attempt): void {
    const key = keyOf(attempt.id);
    if (!this.#attempts.delete(key)) return;
    this.#notices.cancel(key);
    this.#options.slots.release();
    if (newestClaim(this.#options.fold.get(attempt.id).progress) === undefined) return;
    if (!isOpenRow(this.#options.fold.get(attempt.id))) this.#notices.forget(key);
  }
}
