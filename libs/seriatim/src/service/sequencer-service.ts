import { Defect } from "@seriatim/protocol";
import type { Logger } from "pino";
import type { Address } from "../cli/address.ts";
import { aborted } from "./aborted.ts";
import { createRegistry } from "./registry.ts";
import { SequencerMetrics } from "./sequencer-metrics.ts";
import { serveHealth, type HealthServer } from "./health.ts";
import { keepSequencing } from "./keep-sequencing.ts";
import { Looks, type Looked, type PartitionLook } from "./look.ts";
import type { SequencingOptions } from "./sequencing.ts";

/** A sequencer that can be watched. */
export class SequencerService {
  readonly #metrics: SequencerMetrics;
  readonly #looks = new Looks();
  #server: HealthServer | undefined;
  #looked: Looked | undefined;
  /** Why it stopped for good. */
  #end: string | undefined;

  private constructor(space: string) {
    this.#metrics = new SequencerMetrics(createRegistry(space), () => this.#look());
  }

  /** @throws Failure `unavailable` when it cannot listen there. */
  static async listen(space: string, address: Address, log: Logger): Promise<SequencerService> {
    const service = new SequencerService(space);
    service.#server = await serveHealth(address, service.#metrics, {
      sickness: () => service.#end,
      unreadiness: () => (service.#looked === undefined ? "no sequencer has begun, or the broker is away" : undefined),
    });
    log.info({ address: service.#server.address }, "listening");
    return service;
  }

  /** Where it listens, as `host:port`. */
  get address(): string {
    return this.#server?.address ?? "";
  }

  /** Sequences until the signal fires, and is watched meanwhile. */
  run(options: SequencingOptions): Promise<void> {
    const onSequencer = (looked: Looked | undefined): void => {
      this.#looked = looked;
    };
    return this.watch(options.signal, () => keepSequencing({ ...options, observer: this.#metrics, onSequencer }));
  }

  /**
   * After a defect nothing is sequenced any more, and it goes on being watched until the signal fires: an alert rests
   * on what it exports, and a start anew would only diverge again.
   */
  async watch(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Defect)) throw error;
      this.#end = error.message;
      this.#metrics.diverged();
      await aborted(signal);
      throw error;
    } finally {
      await this.#server?.close();
    }
  }

  async #look(): Promise<readonly PartitionLook[]> {
    return this.#looked === undefined ? [] : this.#looks.look(this.#looked);
  }
}
