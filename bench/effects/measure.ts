import { countingHandlers, type Called } from "./handlers.ts";
import type { BenchPlace } from "./places.ts";

export interface Measured {
  readonly where: string;
  readonly calls: string;
  readonly lanes: number;
  /** Effects called and recorded, from the worker's start to the last call's end. */
  readonly effectsPerSecond: number;
  /** The same calls by themselves, as many at once as there are lanes. */
  readonly bareCallsPerSecond: number;
  readonly ratio: number;
}

/** Defers `count` effects over some lanes, one an intent, and then lets a worker call them. */
export async function measure(place: BenchPlace, called: Called, lanes: number, count: number): Promise<Measured> {
  await defer(place, lanes, count);
  const { handlers, all } = countingHandlers(called, count);
  const stop = new AbortController();
  const began = performance.now();
  const working = place.work(handlers, stop.signal);
  await Promise.race([all, working]);
  const effectsPerSecond = (count * 1000) / (performance.now() - began);
  stop.abort();
  await working;
  const bareCallsPerSecond = await bare(called, lanes, count);
  const ratio = effectsPerSecond / bareCallsPerSecond;
  return { where: place.name, calls: called.name, lanes, effectsPerSecond, bareCallsPerSecond, ratio };
}

async function defer(place: BenchPlace, lanes: number, count: number): Promise<void> {
  const coordinator = await place.coordinator();
  await inTurn(64, count, async (index) => {
    await coordinator.run({ agent: "bench", partitionKey: "bench" }, (tx) => {
      tx.defer("call", {}, { lane: `lane ${index % lanes}` });
    });
  });
  await coordinator.close();
}

async function bare({ call }: Called, lanes: number, count: number): Promise<number> {
  const began = performance.now();
  await inTurn(lanes, count, (index) => call(String(index)));
  return (count * 1000) / (performance.now() - began);
}

/** Does `count` things, so many at once. */
async function inTurn(atOnce: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
