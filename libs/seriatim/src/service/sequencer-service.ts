import { Defect } from "@seriatim/protocol";
import type { Logger } from "pino";
import type { Address } from "../cli/address.ts";
import { createRegistry, SequencerMetrics } from "./metrics.ts";
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

  /**
   * Sequences until the signal fires. After a defect it sequences no more and goes on being watched: an alert rests on
   * what it exports, and a start anew would only diverge again.
   */
  async run(options: SequencingOptions): Promise<void> {
    const { signal } = options;
    try {
      const onSequencer = (looked: Looked | undefined): void => {
        this.#looked = looked;
      };
      await keepSequencing({ ...options, observer: this.#metrics, onSequencer });
    } catch (error) {
      if (!(error instanceof Defect)) throw error;
      this.#end = error.message;
      this.#metrics.diverged();
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      throw error;
    } finally {
      await this.#server?.close();
    }
  }

  async #look(): Promise<readonly PartitionLook[]> {
    return this.#looked === undefined ? [] : this.#looks.look(this.#looked);
  }
}
