import { setTimeout as sleep } from "node:timers/promises";
import { EffectsReading } from "@seriatim/effects-worker";
import type { OfficeReport } from "@seriatim/workloads";
import type { Place } from "../cli/place.ts";
import { withEffects } from "../effects/working.ts";
import type { Address } from "../staging/address.ts";
import { tallyEffects, type EffectsTally } from "./effects-tally.ts";
import type { OfficeProcess } from "./office-process.ts";

export interface Settled {
  /** Nothing was left to be done, by the log and at the box office: what dangles then dangles for good. */
  readonly isSettled: boolean;
  readonly effects: EffectsTally;
  readonly office: OfficeReport;
}

export interface SettlingOptions {
  readonly address: Address;
  /** On Kafka: where what is read is kept. */
  readonly effectsFile: string;
  readonly show: string;
  readonly office: OfficeProcess;
  readonly signal: AbortSignal;
}

/** How long effects may take to settle after the last agent, in ms: longer than any time-out, lease and pause of theirs. */
const patience = 90_000;
const pause = 50;

/** Waits until the effects of a show have settled, reading the log and asking the box office, for as long as is reasonable. */
export async function untilSettled(options: SettlingOptions): Promise<Settled> {
  const { address, effectsFile, show, office, signal } = options;
  return withEffects(placeOf(address), effectsFile, async (parts) => {
    const reading = await EffectsReading.open({ ...parts, signal });
    const until = performance.now() + patience;
    for (;;) {
      await reading.readOn();
      const effects = tallyEffects(reading.rows({ all: true }), show);
      const report = await office.report();
      const isSettled = effects.open === 0 && report.toCome === 0;
      if (isSettled || performance.now() > until) return { isSettled, effects, office: report };
      await sleep(pause, undefined, { signal });
    }
  });
}

function placeOf(address: Address): Place {
  return address.log === "sqlite" ? { kind: "file", path: address.file } : { kind: "kafka", ...address };
}
