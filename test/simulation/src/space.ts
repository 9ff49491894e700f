import type { Advance, Space } from "@seriatim/client";
import { Failure, type Genesis, type Version } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import type { Life } from "./member.ts";
import type { SimulatedProcess } from "./process.ts";
import type { World } from "./world.ts";

/** The space as the agents of one process have it. */
export class SimulatedSpace implements Space {
  readonly genesis: Genesis;
  readonly view: View;
  readonly #world: World;
  readonly #process: SimulatedProcess;
  readonly #append: (partition: number, record: Uint8Array) => Promise<unknown>;
  readonly #report: (partition: number, record: Uint8Array) => Promise<unknown>;
  readonly #listeners = new Set<(advance: Advance) => void>();

  constructor(world: World, { view, process }: Life) {
    this.genesis = world.genesis;
    this.view = view;
    this.#world = world;
    this.#process = process;
    const intents = process.on(world.intents);
    const effects = process.on(world.effects);
    this.#report = (partition, record) => effects.append(partition, [{ value: record }]);
    this.#append = (partition, record) => intents.append(partition, [{ value: record }]);
  }

  async append(partition: number, record: Uint8Array): Promise<void> {
    await this.#append(partition, record);
    this.#world.sent.push({ partition, record });
  }

  async report(partition: number, record: Uint8Array): Promise<void> {
    await this.#report(partition, record);
  }

  readonly tell = (advance: Advance): void => {
    for (const listener of this.#listeners) listener(advance);
  };

  subscribe(listener: (advance: Advance) => void): () => void {
    const entry = (advance: Advance): void => listener(advance);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  async reached(
    { partition, offset }: Version,
    { timeout = 30_000, signal }: { readonly signal?: AbortSignal; readonly timeout?: number } = {},
  ): Promise<void> {
    const isReached = (): boolean => this.view.position(partition).offset >= offset;
    if (isReached()) return;
    await new Promise<void>((resolve, reject) => {
      const settle = (failure?: Failure): void => {
        cancel();
        unsubscribe();
        for (const ending of endings) ending?.removeEventListener("abort", onAbort);
        if (failure === undefined) resolve();
        else reject(failure);
      };
      const onAbort = (): void => settle(new Failure("aborted", "the wait was aborted"));
      const endings = [signal, this.#process.signal];
      const cancel = this.#world.clock.schedule(() => settle(new Failure("not_yet", "not applied in time")), timeout);
      const unsubscribe = this.subscribe(() => isReached() && settle());
      for (const ending of endings) ending?.addEventListener("abort", onAbort);
      if (endings.some((ending) => ending?.aborted === true)) onAbort();
    });
  }

  async close(): Promise<void> {}
}
