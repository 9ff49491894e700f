import type { Coordinator, RunOptions } from "@seriatim/client";
import { defineHandlers } from "@seriatim/effects";
import { isFailure, type Isolation } from "@seriatim/protocol";
import { anyKey, oneOf, someRange } from "./choices.ts";
import { Interruption, Program, type Stage } from "./program.ts";
import { readable, toldOf, Witness, type Glimpse, type Statements, type Testimony, type Told } from "./testimony.ts";

export const handlers = defineHandlers({ reserve: { call: () => "done" }, release: { call: () => undefined } });

const levels: readonly Isolation[] = [...Array(4).fill("serializable"), ...Array(3).fill("snapshot"), "none"];

/** An agent that runs transactions, and notes what it was told. */
export class Actor implements Statements {
  readonly testimonies: Testimony[] = [];
  readonly told: Told[] = [];
  readonly glimpses: Glimpse[] = [];
  readonly #name: string;
  readonly #coordinator: Coordinator;
  readonly #stage: Stage;

  constructor(name: string, coordinator: Coordinator, stage: Stage) {
    this.#name = name;
    this.#coordinator = coordinator;
    this.#stage = stage;
  }

  async act(runs: number): Promise<void> {
    const { random, pause } = this.#stage;
    for (let run = 0; run < runs; run += 1) {
      await pause();
      if (random.chance(0.3)) await this.#glance();
      await this.#run(`${this.#name}-${run}`);
    }
  }

  /** One write after another, so that there is always one in the midst of what others read. */
  async scribble(writes: number): Promise<void> {
    const { random } = this.#stage;
    for (let write = 0; write < writes; write += 1)
      await this.#call({ agent: this.#name, isolation: "none" }, `${this.#name}-${write}`, async (witness) => {
        const key = anyKey(random);
        if (random.chance(0.5)) witness.delete(key, true);
        else witness.put(key, true);
      });
  }

  async #run(run: string): Promise<void> {
    const { random } = this.#stage;
    const options: RunOptions = {
      agent: this.#name,
      isolation: oneOf(random, levels),
      attempts: 1 + random.below(8),
      ...(random.chance(0.15) ? { id: `action-${random.below(6)}` } : {}),
    };
    await this.#call(options, run, (witness) => new Program(witness, this.#stage).run());
  }

  async #call(options: RunOptions, run: string, body: (witness: Witness) => Promise<void>): Promise<void> {
    const { isolation = "serializable" } = options;
    try {
      const result = await this.#coordinator.run(options, async (tx) => {
        const witness = new Witness(tx, this.#coordinator, `${run}/${tx.attempt}`, isolation);
        this.testimonies.push(witness.testimony);
        await body(witness);
        return witness.testimony.token;
      });
      this.told.push(toldOf(run, result));
    } catch (error) {
      const isVoid = error instanceof Interruption || isFailure(error, "aborted");
      if (!isVoid && !isFailure(error, "unknown_outcome")) throw error;
      this.told.push(isVoid ? { run, isVoid } : { run });
    }
  }

  /** Reads outside of any transaction. */
  async #glance(): Promise<void> {
    const range = someRange(this.#stage.random);
    const [asOf = { partition: 0, offset: 0 }] = this.#coordinator.positions();
    await this.#stage.pause();
    const got = await readable(this.#coordinator.scan(range, { asOf }));
    const entries = got?.map(({ key, value, version }) => ({ key, value, version: version.offset })) ?? null;
    this.glimpses.push({ range, at: asOf.offset, got: entries });
  }
}
