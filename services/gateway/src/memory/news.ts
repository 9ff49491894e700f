import type { Advance, Space } from "@seriatim/client";
import { partitionOf, toBytes } from "@seriatim/protocol";
import { partitionKey } from "./keys.ts";

/** Tells of changes of the memory, by whichever process, while they are wanted. */
export class MemoryNews {
  readonly #space: Space;
  readonly #listener: () => void;
  #unsubscribe: (() => void) | undefined;

  constructor(space: Space, listener: () => void) {
    this.#space = space;
    this.#listener = listener;
  }

  start(): void {
    this.#unsubscribe ??= this.#space.subscribe((advance) => this.#look(advance));
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  #look({ partition, from, to }: Advance): void {
    const { view, genesis } = this.#space;
    if (partition !== partitionOf(toBytes(partitionKey), genesis.partitions)) return;
    const prefix = `${partitionKey}/`;
    if (view.changes(partition, from, to).some(({ key }) => key.startsWith(prefix))) this.#listener();
  }
}
