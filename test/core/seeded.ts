import * as fc from "fast-check";

/**
 * Checks a property on `runs` inputs. A failure prints its seed and path, and the command that runs just it again;
 * SERIATIM_RUNS asks for another number of inputs.
 */
export function holds<Inputs>(file: string, property: fc.IProperty<Inputs>, runs: number): void {
  expectSound(file, fc.check(property, parametersOf(runs)));
}

/** The same for a property whose checking takes time of its own. */
export async function holdsInTime<Inputs>(
  file: string,
  property: fc.IAsyncProperty<Inputs>,
  runs: number,
): Promise<void> {
  expectSound(file, await fc.check(property, parametersOf(runs)));
}

function parametersOf(runs: number) {
  const { SERIATIM_SEED: seed, SERIATIM_PATH: path, SERIATIM_RUNS: otherRuns } = process.env;
  return {
    numRuns: otherRuns === undefined ? runs : Number(otherRuns),
    ...(seed === undefined ? {} : { seed: Number(seed) }),
    ...(path === undefined ? {} : { path }),
  };
}

function expectSound<Inputs>(file: string, details: fc.RunDetails<Inputs>): void {
  if (!details.failed) return;
  const rerun = `SERIATIM_SEED=${details.seed} SERIATIM_PATH=${details.counterexamplePath ?? ""} npx vitest run ${file}`;
  throw new Error(`${fc.defaultReportMessage(details)}\nTo run it again: ${rerun}`, { cause: details.errorInstance });
}
