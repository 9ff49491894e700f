import type { Coordinator, CoordinatorOptions } from "./coordinator.ts";
import { Environment, type Determined } from "./environment.ts";
import { submitByHand } from "./hand-built.ts";
import { Holding } from "./holding.ts";
import { Reads } from "./reads.ts";
import { Run } from "./run.ts";
import type { Space } from "./space.ts";
import { Submitter } from "./submitter.ts";

/**
 * A coordinator on an open space, which it closes when it is closed.
 * @throws Failure `unknown_rules` when the space admits other schemas than this version of Seriatim writes.
 */
export function createCoordinator(space: Space, options: CoordinatorOptions & Determined = {}): Coordinator {
  const environment = new Environment(space, options);
  const submitter = new Submitter(environment);
  const senders = { submitter, holding: new Holding(environment, submitter) };
  const reads = new Reads(environment);
  return {
    async run(runOptions, fn) {
      environment.checkOpen();
      return new Run(environment, senders, runOptions, fn).result();
    },
    async submit(intent, { signal } = {}) {
      environment.checkOpen();
      return submitByHand(environment, submitter, intent, signal);
    },
    async get<T>(key: string, readOptions?: Parameters<Coordinator["get"]>[1]) {
      return (await reads.entry<T>(key, readOptions))?.value;
    },
    entry: (key, readOptions) => reads.entry(key, readOptions),
    scan: (range, scanOptions) => reads.scan(range, scanOptions),
    history: (key, historyOptions) => reads.history(key, historyOptions),
    lookup: (intent, lookupOptions) => reads.lookup(intent, lookupOptions),
    positions: () => reads.positions(),
    statistics: () => environment.counters.read(),
    close: () => environment.close(),
  };
}
