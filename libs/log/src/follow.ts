import type { Batch, LogRecord } from "./port.ts";
import { Wakeup } from "./wakeup.ts";

/** Where a reading gets its records from. */
export interface Source {
  /** The next records of `partition` at and after `position`, empty at its end. @throws Failure `log_changed`. */
  fetch(partition: number, position: number): Promise<readonly LogRecord[]>;
  /** Calls `listener` after every append. Returns what ends that. */
  subscribe(listener: () => void): () => void;
}

/** The loop of `Log.read`: the partitions in turn, and a wait when none has anything new. */
export async function* follow(
  source: Source,
  from: ReadonlyMap<number, number>,
  signal: AbortSignal,
): AsyncGenerator<Batch, void> {
  const positions = new Map(from);
  const wakeup = new Wakeup();
  // Before the first fetch, so that nothing appended in between is missed.
  const unsubscribe = source.subscribe(wakeup.notify);
  try {
    while (!signal.aborted) {
      let isIdle = true;
      for (const [partition, position] of positions) {
        const records = await source.fetch(partition, position);
        if (signal.aborted) return;
        const last = records.at(-1);
        if (last === undefined) continue;
        isIdle = false;
        positions.set(partition, last.offset + 1);
        yield { partition, records };
      }
      if (isIdle) await wakeup.wait(signal);
    }
  } finally {
    unsubscribe();
  }
}
