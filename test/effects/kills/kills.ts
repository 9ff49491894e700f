import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createCoordinator, type Coordinator } from "@seriatim/client";
import { httpHandlersOf } from "@seriatim/effects";
import { EffectsReading, EffectsWorker, type Row } from "@seriatim/effects-worker";
import { SqliteFile } from "@seriatim/log";
import { sha256 } from "@seriatim/protocol";
import { judge, type Judged } from "./judge.ts";
import { filePlace, kafkaPlace, type Place } from "./place.ts";
import { planOf, type Plan } from "./plan.ts";
import { Receiver } from "./receiver.ts";
import { Victim } from "./victim.ts";

export interface KillOptions {
  readonly log: "sqlite" | "kafka";
  readonly runs: number;
  /** Of the first run; the others follow on. */
  readonly seed: number;
  /** For Kafka. */
  readonly brokers: readonly string[];
  readonly onRun?: (done: number, run: RunReport) => void;
}

export interface RunReport extends Judged {
  readonly plan: Plan;
  /** Whether the worker came to its step. */
  readonly isStruck: boolean;
}

/** In ms. The calls' time-out is shorter than the receiver's longest stall. */
const times = { timeout: 400, grace: 600, struck: 8_000, settled: 60_000 };

/** Runs on one space, one after another: in each a worker is killed or halted at a step, and another takes over. */
export async function runKills({ log, runs, seed, brokers, onRun }: KillOptions): Promise<RunReport[]> {
  const folder = await mkdtemp(join(tmpdir(), "seriatim-effects-"));
  const receiver = await Receiver.start(seed);
  const place = await (log === "kafka" ? kafkaPlace(folder, brokers) : filePlace(folder));
  const coordinator = createCoordinator(place.space);
  const reports: RunReport[] = [];
  try {
    for (let run = 0; run < runs; run += 1) {
      const report = await new Run(planOf(seed + run), { place, folder, receiver, coordinator }).run();
      reports.push(report);
      onRun?.(run + 1, report);
    }
    return reports;
  } finally {
    await receiver.close();
    await place.end();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Stage {
  readonly place: Place;
  readonly folder: string;
  readonly receiver: Receiver;
  readonly coordinator: Coordinator;
}

class Run {
  readonly #plan: Plan;
  readonly #stage: Stage;

  constructor(plan: Plan, stage: Stage) {
    this.#plan = plan;
    this.#stage = stage;
  }

  async run(): Promise<RunReport> {
    const { plan } = { plan: this.#plan };
    await this.#commit();
    const victim = this.#start();
    let errors = "";
    let isStruck = false;
    try {
      await victim.ready();
      isStruck = await victim.struck(times.struck);
      if (plan.signal === "SIGKILL" || !isStruck) await victim.end("SIGKILL");
      await this.#takeOver(async () => {
        await this.#settled();
        if (plan.signal !== "SIGSTOP" || !isStruck) return;
        victim.goOn();
        errors = await victim.end("SIGTERM");
        await this.#settled();
      });
    } finally {
      await victim.end("SIGKILL");
    }
    const { receiver, place } = this.#stage;
    const judged = judge(plan, await this.#rows(), receiver, place.space.genesis.space);
    const violations = errors === "" ? judged.violations : [...judged.violations, `the victim said: ${errors}`];
    return { ...judged, violations, plan, isStruck };
  }

  async #commit(): Promise<void> {
    const { coordinator } = this.#stage;
    for (const [index, effects] of this.#plan.intents.entries()) {
      const options = { agent: "agent", partitionKey: `key-${this.#plan.seed % 5}` };
      const { outcome } = await coordinator.run(options, (tx) => {
        for (const { label, handler, lane } of effects) tx.defer(handler, { label }, { lane });
      });
      if (outcome !== "committed") throw new Error(`intent ${index} was refused`);
    }
  }

  get #http(): string {
    const { url } = this.#stage.receiver;
    const common = { timeout: times.timeout, attempts: 40, backoff: 10, longestBackoff: 100 };
    return JSON.stringify({
      many: { url: `${url}/many`, ...common },
      once: { url: `${url}/once`, ...common, idempotent: false },
    });
  }

  #store(name: string): string {
    return join(this.#stage.folder, this.#plan.sharesStore ? "shared.effects.db" : `${name}.effects.db`);
  }

  #start(): Victim {
    const { seed, step, nth, signal } = this.#plan;
    const { address } = this.#stage.place;
    const name = `victim-${seed}`;
    const store = this.#store("victim");
    return new Victim({ place: address, store, step, nth, signal, name, http: this.#http, grace: times.grace });
  }

  /** A worker in this process, for as long as `work` takes. */
  async #takeOver(work: () => Promise<void>): Promise<void> {
    const { verdicts, effects, codec } = this.#stage.place.space;
    const file = SqliteFile.open(this.#store("successor"), { synchronous: "normal" });
    const handlers = httpHandlersOf({ SERIATIM_HTTP_HANDLERS: this.#http });
    const { space } = this.#stage.place;
    const append = (partition: number, record: Uint8Array): Promise<unknown> => space.append(partition, record);
    const parts = { verdicts, effects, append, codec, file, handlers, hash: sha256 };
    const worker = await EffectsWorker.open({ ...parts, grace: times.grace });
    const stop = new AbortController();
    const running = worker.run(stop.signal);
    try {
      await Promise.race([work(), running]);
    } finally {
      stop.abort();
      await running;
      file.close();
    }
  }

  /** Resolves when every effect of the run is done, or its outcome unknown. */
  async #settled(): Promise<void> {
    const until = performance.now() + times.settled;
    while (performance.now() < until) {
      const open = (await this.#rows()).filter(
        ({ progress }) => progress.state === "pending" || progress.state === "claimed",
      );
      if (open.length === 0) return;
      await delay(50);
    }
  }

  /** The run's effects, as the logs have them. */
  async #rows(): Promise<Row[]> {
    const { place, folder } = this.#stage;
    const { verdicts, effects, codec } = place.space;
    const file = SqliteFile.open(join(folder, "judge.effects.db"), { synchronous: "normal" });
    try {
      const { signal } = new AbortController();
      const reading = await EffectsReading.open({ verdicts, effects, codec, file, hash: sha256, signal });
      const mark = `"${this.#plan.seed}.`;
      return [...reading.rows({ all: true })].filter((row) => row.arguments?.toString().includes(mark));
    } finally {
      file.close();
    }
  }
}
