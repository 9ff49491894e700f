import type { Handlers } from "@seriatim/effects";
import { factsOf } from "./calls.ts";
import { nextStep, type Step } from "./core/index.ts";
import type { Leads } from "./leads.ts";
import type { Notices } from "./notices.ts";
import { keyOf, type Row } from "./store/row.ts";
import type { Timing } from "./timing.ts";

export interface StepsOptions {
  readonly worker: string;
  readonly handlers: Handlers;
  readonly timing: Timing;
  /** See `Situation`. */
  readonly grace: number;
  /** An effect is next whose handler this worker does not know. */
  readonly onMissingHandler: (name: string) => void;
}

/** Puts to the core, with what this worker knows of the time, what is to be done next about an effect. */
export class Steps {
  readonly #options: StepsOptions;
  readonly #notices: Notices;
  readonly #leads: Leads;

  constructor(options: StepsOptions, notices: Notices, leads: Leads) {
    this.#options = options;
    this.#notices = notices;
    this.#leads = leads;
  }

  /**
   * Undefined where the handler is not known.
   * @param claimedAt when this worker sent the claim that stands.
   */
  of(row: Row, name: string, claimedAt: number | undefined): Step | undefined {
    const { handlers, timing, worker, grace, onMissingHandler } = this.#options;
    const handler = handlers.get(name);
    if (handler === undefined) {
      onMissingHandler(name);
      return undefined;
    }
    const { first, since, chance } = this.#notices.of(keyOf(row));
    return nextStep(row.progress, factsOf(handler), {
      now: timing.now(),
      since,
      notBefore: notBefore(row, first),
      worker,
      claimedAt,
      courtesy: this.#leads.courtesy(name, chance),
      grace,
      chance,
    });
  }
}

/** An inverse must not overtake its forward call, which was given up or ended by then. */
function notBefore({ definition, progress }: Row, first: number): number {
  if (definition?.kind !== "undo") return 0;
  return progress.own?.outcome === "done" ? 0 : first + definition.timeout;
}
