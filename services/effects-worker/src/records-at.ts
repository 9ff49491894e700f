import type { Log, LogRecord } from "@seriatim/log";
import { Failure } from "@seriatim/protocol";

/** The first record at or after an offset of each partition, all in one read, which costs a connection or more. */
export async function recordsAt(
  log: Log,
  from: ReadonlyMap<number, number>,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, LogRecord>> {
  const found = new Map<number, LogRecord>();
  if (from.size === 0) return found;
  const enough = new AbortController();
  const until = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]);
  for await (const { partition, records } of log.read(from, { signal: until })) {
    const [first] = records;
    if (first !== undefined && !found.has(partition)) found.set(partition, first);
    if (found.size === from.size) enough.abort();
  }
  if (found.size === from.size) return found;
  throw new Failure("aborted", `reading ${log.name} was aborted by its caller's signal`);
}
