import { effectStates, type EffectsStore, type EffectsWorker } from "@seriatim/effects-worker";
import type { Handlers } from "@seriatim/effects";
import type { Log } from "@seriatim/log";
import { Gauge, type Registry } from "prom-client";
import { allPartitions } from "../genesis.ts";
import type { Exported } from "./registry.ts";

export interface WorkerAtWork {
  readonly worker: EffectsWorker;
  readonly store: EffectsStore;
  readonly verdicts: Log;
  readonly effects: Log;
  readonly handlers: Handlers;
}

/** What an effects worker exports. Workers of one space fold the same logs: of several, take the highest. */
export class EffectsMetrics implements Exported {
  readonly #registry: Registry;
  readonly #current: () => WorkerAtWork | undefined;
  readonly #states: Gauge<"state">;
  readonly #unhandled: Gauge<"handler">;
  readonly #calls: Gauge;
  readonly #lag: Gauge<"partition">;

  constructor(registry: Registry, current: () => WorkerAtWork | undefined) {
    const registers = [registry];
    this.#registry = registry;
    this.#current = current;
    this.#states = new Gauge({
      name: "seriatim_effects",
      help: "Effects by state.",
      labelNames: ["state"],
      registers,
    });
    this.#unhandled = new Gauge({
      name: "seriatim_effects_unhandled",
      help: "Effects still to be done whose handler this worker does not know; 0 where it knows it.",
      labelNames: ["handler"],
      registers,
    });
    this.#calls = new Gauge({ name: "seriatim_effects_calls", help: "Calls under way in this worker.", registers });
    this.#lag = new Gauge({
      name: "seriatim_effects_lag",
      help: "Records of the verdicts and the effects log that were not read.",
      labelNames: ["partition"],
      registers,
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  async text(): Promise<string> {
    for (const gauge of [this.#states, this.#unhandled, this.#lag]) gauge.reset();
    const current = this.#current();
    if (current !== undefined) await this.#look(current);
    return this.#registry.metrics();
  }

  async #look(current: WorkerAtWork): Promise<void> {
    const { worker, store, handlers } = current;
    const { calls, open } = worker.status();
    this.#calls.set(calls);
    const counts = store.states();
    for (const state of effectStates) this.#states.set({ state }, counts.get(state) ?? 0);
    // A 0 from one worker says that another one's number is no alarm.
    for (const [handler, count] of open) this.#unhandled.set({ handler }, handlers.has(handler) ? 0 : count);
    await Promise.all(allPartitions(current.verdicts).map((partition) => this.#lookAt(current, partition)));
  }

  async #lookAt({ store, verdicts, effects }: WorkerAtWork, partition: number): Promise<void> {
    const [decided, done] = await Promise.all([verdicts.bounds(partition), effects.bounds(partition)]);
    const { nextVerdict, nextEffect } = store.position(partition);
    this.#lag.set({ partition }, Math.max(0, decided.end - nextVerdict) + Math.max(0, done.end - nextEffect));
  }
}
