import { simulate } from "./simulate.ts";
import { Summary } from "./summary.ts";

/** Runs seeds one after another; those that fail are noted, and do not end the run. */
export async function runSeeds(from: number, count: number, onSeed?: (done: number) => void): Promise<Summary> {
  const summary = new Summary();
  for (let seed = from; seed < from + count; seed += 1) {
    try {
      summary.add(await simulate(seed));
    } catch (error) {
      summary.addFailure(seed, error);
    }
    onSeed?.(seed - from + 1);
  }
  return summary;
}
