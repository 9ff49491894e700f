import { createCoordinator, type RunResult, type SubmitResult } from "@seriatim/client";
import type { Random } from "@seriatim/log";
import { isFailure, type FailureCode, type RefusalCode, type Version } from "@seriatim/protocol";
import { drawJob, type Job } from "./jobs.ts";
import type { Life } from "./member.ts";
import type { SimulatedProcess } from "./process.ts";
import { Reader } from "./reader.ts";
import { SimulatedSpace } from "./space.ts";
import { partitions, type World } from "./world.ts";

/** What an agent was told of one job. */
export interface Report {
  readonly agent: string;
  readonly job: Job;
  /** The ids of its attempts, where they are this job's alone. */
  readonly ids: readonly string[];
  readonly told: Told;
}

export type Told =
  | {
      readonly kind: "committed";
      readonly version: Version | undefined;
      readonly intent: string;
      readonly value: unknown;
    }
  | { readonly kind: "refused"; readonly code: RefusalCode; readonly version: Version; readonly intent: string }
  | { readonly kind: "failed"; readonly code: FailureCode };

/** So many records stand in the intents log at the least when the agents have done. */
const fewestIntents = 200;
/** So many jobs each agent does at the least. */
const fewestJobs = 8;

/** Does jobs, one after another, through all the lives of its process. */
export class Agent {
  readonly name: string;
  readonly reports: Report[] = [];
  isDone = false;
  readonly #world: World;
  readonly #random: Random;
  #job: Job | undefined;
  #jobs = 0;
  #idCount = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.#random = world.fork();
  }

  /** Resolves when it has done enough, or its process is dead. */
  async work(space: SimulatedSpace, process: SimulatedProcess): Promise<void> {
    const { clock, plan } = this.#world;
    let ids: string[] = [];
    const newId = (): string => {
      const id = `${this.name}-${(this.#idCount += 1)}`;
      ids.push(id);
      return id;
    };
    const coordinator = createCoordinator(space, {
      clock: clock.now,
      random: () => this.#random.word() / 2 ** 32,
      schedule: clock.schedule,
      newId,
      verdictTimeout: plan.verdictTimeout,
      handlers: this.#world.receiver.handlers(() => this.#random.chance(0.1)),
    });
    const think = (): Promise<void> => clock.sleep(this.#random.below(30));
    const hand = { world: this.#world, space, coordinator, random: this.#random, agent: this.name, think };
    while (!process.isDead && !this.#hasEnough()) {
      this.#job ??= drawJob(this.#world, this.#random, (this.#jobs += 1));
      const job = this.#job;
      const result = await job.perform(hand, job).catch((error: unknown) => failed(process, error));
      await process.running();
      // Nobody has heard what a dead process was told: the next one begins the same job again.
      if (process.isDead) return;
      if (result !== undefined) this.reports.push({ agent: this.name, job, ids, told: toldOf(result) });
      this.#job = undefined;
      ids = [];
      await clock.sleep(this.#random.below(20));
    }
  }

  #hasEnough(): boolean {
    this.isDone ||= this.#jobs >= fewestJobs && this.#world.intentsCount() >= fewestIntents;
    return this.isDone;
  }
}

function failed(process: SimulatedProcess, error: unknown): Told | undefined {
  if (process.isDead) return undefined;
  if (isFailure(error, "unavailable", "aborted", "unknown_outcome", "not_yet"))
    return { kind: "failed", code: error.code };
  throw error;
}

function toldOf(result: RunResult<unknown> | SubmitResult | Told): Told {
  if ("kind" in result) return result;
  if (result.outcome === "refused") {
    const { code, version, intent } = result.refusal;
    return { kind: "refused", code, version, intent };
  }
  const value = "value" in result ? result.value : undefined;
  return { kind: "committed", version: result.version, intent: result.intent, value };
}

/** A process with a view and some agents, who share it. */
export class AgentHost extends Reader {
  readonly agents: readonly Agent[];

  constructor(world: World, name: string, agents: readonly string[]) {
    super(world, name);
    this.agents = agents.map((agent) => new Agent(world, agent));
  }

  protected override async work(life: Life): Promise<void> {
    const space = new SimulatedSpace(this.world, life);
    await Promise.all([this.follow(life, space.tell), this.#begin(space, life)]);
  }

  /** The agents begin when there is a space to read: before its genesis was decided, there is none. */
  async #begin(space: SimulatedSpace, { process }: Life): Promise<void> {
    for (const partition of partitions) {
      while (!process.isDead && space.view.position(partition).offset < 0) await this.world.clock.sleep(50);
    }
    await Promise.all(this.agents.map((agent) => agent.work(space, process)));
  }
}
