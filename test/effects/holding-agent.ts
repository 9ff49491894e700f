import {
  createEffectsCodec,
  emptyIntent,
  partitionOf,
  sha256,
  toBytes,
  type EffectResult,
  type Intent,
} from "@seriatim/protocol";
import { expect } from "vitest";
import type { Participant } from "../support/spaces.ts";

const patient = { timeout: 20_000 };
const args = Buffer.from('{"seat":4}');

export interface Held {
  readonly id: string;
  readonly partition: number;
  readonly offset: number;
}

/** An agent that holds something, and does no more about it by itself. */
export class HoldingAgent {
  readonly #participant: Participant;
  readonly #partition: number;
  #count = 0;

  constructor(participant: Participant) {
    this.#participant = participant;
    this.#partition = partitionOf(toBytes("seats"), participant.space.genesis.partitions);
  }

  async append(intent: Intent): Promise<void> {
    const { space } = this.#participant;
    await space.append(this.#partition, space.codec.encodeIntent(intent));
  }

  async hold(options: { readonly undo?: string | null; readonly lease?: number; readonly timeout?: number } = {}) {
    const { space } = this.#participant;
    const { undo = "release", lease = 60_000, timeout = 100 } = options;
    const id = `intent-${++this.#count}`;
    const partition = this.#partition;
    const snapshot = space.view.position(partition).offset;
    const base = { space: space.genesis.space, partition, id, agent: "agent", snapshot };
    await this.append({
      kind: "hold",
      ...base,
      attempt: "1",
      index: 0,
      name: "reserve",
      arguments: args,
      undo,
      lease,
      timeout,
    });
    await expect.poll(() => space.view.holds(partition, id).length, patient).toBe(1);
    return { id, partition, offset: space.view.holds(partition, id)[0]?.offset ?? -1 } satisfies Held;
  }

  async report({ partition, offset }: Held, result: EffectResult): Promise<void> {
    const { space } = this.#participant;
    const effect = { offset, index: 0, side: "forward" } as const;
    const base = { space: space.genesis.space, partition, effect, arguments: sha256(args) };
    const record = { kind: "report", ...base, claim: null, worker: "agent", result } as const;
    await space.effects.append(partition, [{ value: createEffectsCodec(space.genesis).encode(record) }]);
  }

  async commit({ id, partition, offset }: Held, holds: readonly number[]): Promise<void> {
    const { space } = this.#participant;
    const base = { space: space.genesis.space, partition, id, agent: "agent", snapshot: offset - 1 };
    await this.append({ ...emptyIntent, ...base, holds });
  }

  async cancel({ id, partition, offset }: Held): Promise<void> {
    const { space } = this.#participant;
    await this.append({
      kind: "cancel",
      space: space.genesis.space,
      partition,
      id,
      agent: "agent",
      snapshot: offset - 1,
    });
  }
}
