import { newestClaim } from "./core/index.ts";
import type { Row } from "./store/row.ts";

/** For how long the worker that took the last effect of a handler is given the next one, in ms: to twice as much. */
const courtesy = 300;

/** The same while nobody is known to take them. */
const firstCourtesy = 50;

/**
 * Which worker takes the effects of which handler, in one partition: the one that took the last. The others wait a
 * moment before they claim, by chance not the same one, and so take over what it leaves lying: when it is gone, has as
 * many calls under way as it makes, or does not know the handler. Claims make several workers safe; this keeps them from
 * claiming everything twice, and needs no list of those that are alive.
 */
export class Leads {
  readonly #worker: string;
  readonly #leads = new Map<string, string>();

  constructor(worker: string) {
    this.#worker = worker;
  }

  /** A claim was read: whose effect is it now? */
  note({ definition, progress }: Row): void {
    const claim = newestClaim(progress);
    if (definition !== null && claim !== undefined && progress.state === "claimed")
      this.#leads.set(definition.name, claim.worker);
  }

  /** How long to leave an effect of this handler to others, in ms. */
  courtesy(name: string, chance: number): number {
    const leader = this.#leads.get(name);
    if (leader === this.#worker) return 0;
    return leader === undefined ? chance * firstCourtesy : courtesy * (1 + chance);
  }
}
