import type { Log, LogRecord } from "@seriatim/log";

/** The records of a partition from the log's start to where it ends now, batch by batch. */
export async function* readUpTo(
  log: Log,
  partition: number,
  signal: AbortSignal,
): AsyncGenerator<readonly LogRecord[], void> {
  const { start, end } = await log.bounds(partition);
  if (start >= end) return;
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  for await (const { records } of log.read(new Map([[partition, start]]), { signal: until })) {
    yield records.filter(({ offset }) => offset < end);
    if ((records.at(-1)?.offset ?? -1) + 1 >= end) stop.abort();
  }
  signal.throwIfAborted();
}
