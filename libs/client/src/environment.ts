import { randomUUID } from "node:crypto";
import type { Handlers } from "@seriatim/effects";
import { createCodec, createEffectsCodec, Failure, sha256 } from "@seriatim/protocol";
import type { EffectsCodec, RecordCodec } from "@seriatim/protocol";
import type { CoordinatorOptions } from "./coordinator.ts";
import { Rivals } from "./rivals.ts";
import type { Space } from "./space.ts";
import { Habits } from "./habits.ts";
import { Counters } from "./statistics.ts";
import { Turns } from "./turns.ts";
import { Verdicts } from "./verdicts.ts";
import { backoffDelay, schedule, settledWithin, sleep, type Backoff, type Ending, type Schedule } from "./waiting.ts";

const defaultVerdictTimeout = 30_000;
const defaultUnresolved = 1_000;
const defaultRetry: Backoff = { base: 4, cap: 1_000 };

/** What a simulation has to determine, besides what the options of every coordinator do. */
export interface Determined {
  /** `setTimeout` unless given. */
  readonly schedule?: Schedule | undefined;
  /** The id of an attempt without a business id, which nobody has used; a random UUID unless given. */
  readonly newId?: (() => string) | undefined;
}

/** What the parts of one coordinator share. */
export class Environment {
  readonly space: Space;
  readonly codec: RecordCodec;
  readonly effectsCodec: EffectsCodec;
  readonly handlers: Handlers | undefined;
  readonly verdicts: Verdicts;
  readonly counters = new Counters();
  readonly turns: Turns;
  readonly habits = new Habits();
  readonly rivals: Rivals;
  readonly clock: () => number;
  readonly verdictTimeout: number;
  /** How many intents may be on their way at once. */
  readonly mostUnresolved: number;
  readonly newId: () => string;
  readonly #schedule: Schedule;
  readonly #random: () => number;
  readonly #retry: Backoff;
  #closed = false;

  constructor(space: Space, options: CoordinatorOptions & Determined) {
    this.space = space;
    this.codec = createCodec(space.genesis, sha256);
    this.effectsCodec = createEffectsCodec(space.genesis);
    this.handlers = options.handlers;
    this.#schedule = options.schedule ?? schedule;
    this.verdicts = new Verdicts(space, this.#schedule);
    this.newId = options.newId ?? randomUUID;
    this.clock = options.clock ?? (() => performance.now());
    this.rivals = new Rivals(space, this.#schedule);
    this.turns = new Turns(this.clock, this.#schedule);
    this.verdictTimeout = options.verdictTimeout ?? defaultVerdictTimeout;
    this.mostUnresolved = options.unresolved ?? defaultUnresolved;
    this.#random = options.random ?? Math.random;
    this.#retry = { base: options.retry?.base ?? defaultRetry.base, cap: options.retry?.cap ?? defaultRetry.cap };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** @throws Failure `closed`, or the one with which the space ended. */
  checkOpen(): void {
    if (this.#closed) throw new Failure("closed", "the coordinator was closed; nothing was written");
    this.space.assertGoing?.();
  }

  /** How long to wait before a retry, in ms; `retry` counts from 0. */
  delay(retry: number): number {
    return backoffDelay(this.#retry, retry, this.#random);
  }

  backOff(retry: number, signal: AbortSignal | undefined): Promise<void> {
    return this.sleep(this.delay(retry), signal);
  }

  /** @throws Failure `aborted` when the signal fires meanwhile. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return sleep(ms, signal, this.#schedule);
  }

  /** See waiting.ts. */
  settledWithin(promise: Promise<unknown>, timeout: number, signal?: AbortSignal): Promise<Ending> {
    return settledWithin(promise, timeout, signal, this.#schedule);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.verdicts.close();
    await this.space.close();
  }
}
