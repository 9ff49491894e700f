import { randomUUID } from "node:crypto";
import { intentOf, writeOf } from "../log/spaces.ts";
import { KafkaSpace } from "../log/kafka-inside.ts";

/** Between two intents of a partition, in ms. */
const beat = 10;

/** Submits an intent to each partition again and again, and notes when verdicts come. */
export class Pulse {
  readonly #space: Awaited<ReturnType<typeof KafkaSpace.open>>;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  readonly #seenAt: number[];
  #gaps: number[];
  #count = 0;

  private constructor(space: Awaited<ReturnType<typeof KafkaSpace.open>>) {
    this.#space = space;
    this.#seenAt = Array<number>(space.genesis.partitions).fill(performance.now());
    this.#gaps = this.#seenAt.map(() => 0);
    this.#unsubscribe = space.subscribe(({ partition }) => {
      const now = performance.now();
      this.#gaps[partition] = Math.max(this.#gaps[partition] ?? 0, now - (this.#seenAt[partition] ?? now));
      this.#seenAt[partition] = now;
    });
    this.#timer = setInterval(() => this.#beat(), beat);
  }

  static async start(options: Parameters<typeof KafkaSpace.open>[0]): Promise<Pulse> {
    return new Pulse(await KafkaSpace.open({ ...options, beginTimeout: 60_000 }));
  }

  /** Begins to count anew. */
  begin(): void {
    this.#gaps = this.#gaps.map(() => 0);
  }

  /** The longest time without a verdict since then, of any partition, in ms. */
  get gap(): number {
    return Math.max(...this.#gaps);
  }

  /** Resolves once every partition has given a verdict to an intent that was submitted after the call. */
  async untilAllDecide(): Promise<void> {
    const { intents, genesis } = this.#space;
    for (let partition = 0; partition < genesis.partitions; partition += 1) {
      const { end } = await intents.bounds(partition);
      await this.#space.reached({ partition, offset: end }, { timeout: 120_000 });
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
    await this.#space.close();
  }

  #beat(): void {
    const { codec, genesis, view } = this.#space;
    for (let partition = 0; partition < genesis.partitions; partition += 1) {
      const { offset: snapshot } = view.position(partition);
      const draft = { partition, snapshot, writes: [writeOf(this.#count % 1_000, this.#count)] };
      const intent = codec.encodeIntent(intentOf(codec, randomUUID(), draft));
      this.#space.append(partition, intent).catch(() => undefined);
    }
    this.#count += 1;
  }
}
