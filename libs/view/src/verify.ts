import type { Log, LogRecord } from "@seriatim/log";
import { Failure, type Hash, type Offset } from "@seriatim/protocol";
import type { ViewPosition } from "./types.ts";
import type { View } from "./view.ts";

export interface VerifyOptions {
  readonly intents: Log;
  readonly verdicts: Log;
  readonly view: View;
  readonly partitions: readonly number[];
  readonly hash: Hash;
  readonly signal?: AbortSignal;
}

interface Applied {
  readonly partition: number;
  readonly position: ViewPosition;
}

/**
 * Invariant 9: a view never mixes two histories. Verifies that the logs are still those that the view was folded from:
 * the intents record at the applied offset is the one that its verdict names, and the verdicts log reaches as far as it
 * was read. To be called on open and after every reconnect.
 * @throws Failure `log_changed` saying in which partition, at which offset and what changed; `unavailable` when a log
 *   cannot be read; `aborted`.
 */
export async function verifyPosition(options: VerifyOptions): Promise<void> {
  const { intents, view, partitions, hash } = options;
  const applied: Applied[] = [];
  for (const partition of partitions) {
    const position = view.position(partition);
    await verifyBounds(options, partition, position);
    if (position.offset >= 0) applied.push({ partition, position });
  }
  const found = await recordsAt(options, applied);
  for (const { partition, position } of applied) {
    const { offset } = position;
    const record = found.get(partition);
    const where = `partition ${partition} of ${intents.name}`;
    if (record?.offset !== offset)
      throw changed(view, `${where} was replaced: it has no record at offset ${offset}`, offset);
    if (hash(record.value) === position.digest) continue;
    throw changed(view, `${where} was replaced: another record stands at offset ${offset}`, offset);
  }
}

async function verifyBounds(options: VerifyOptions, partition: number, position: ViewPosition): Promise<void> {
  const { intents, verdicts, view } = options;
  const { offset, next } = position;
  const log = await verdicts.bounds(partition);
  const where = `partition ${partition} of ${verdicts.name}`;
  const read = `the view has read it up to offset ${next}`;
  if (log.end < next)
    throw changed(view, `${where} was recreated or cut: it ends at offset ${log.end}, and ${read}`, offset);
  if (log.start > next)
    throw changed(view, `${where} was truncated: it starts at offset ${log.start}, and ${read}`, offset);
  if (offset >= 0)
    verifyIntents(view, `partition ${partition} of ${intents.name}`, await intents.bounds(partition), offset);
}

function verifyIntents(
  view: View,
  where: string,
  { start, end }: { start: number; end: number },
  offset: Offset,
): void {
  if (start === end && end <= offset)
    throw changed(view, `${where} was recreated: it is empty, and ends at offset ${end}`, offset);
  if (end <= offset) throw changed(view, `${where} was recreated: it ends at offset ${end}`, offset);
  if (start > offset) throw changed(view, `${where} was truncated: it starts at offset ${start}`, offset);
}

/** The first record from each applied offset on. All partitions in one read, which costs a connection or more. */
async function recordsAt(
  { intents, signal }: VerifyOptions,
  applied: readonly Applied[],
): Promise<ReadonlyMap<number, LogRecord>> {
  const found = new Map<number, LogRecord>();
  if (applied.length === 0) return found;
  const from = new Map(applied.map(({ partition, position }) => [partition, position.offset]));
  const enough = new AbortController();
  const until = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]);
  for await (const { partition, records } of intents.read(from, { signal: until })) {
    const [first] = records;
    if (first !== undefined && !found.has(partition)) found.set(partition, first);
    if (found.size === applied.length) enough.abort();
  }
  if (found.size === applied.length) return found;
  throw new Failure("aborted", `the verification of ${intents.name} was aborted by its caller's signal`);
}

function changed(view: View, what: string, offset: Offset): Failure {
  const message = `${what}; the view in ${view.path} was folded from other records, up to offset ${offset}`;
  const remedy =
    "put the old log back, or, if the file holds nothing but a view and the log was changed on purpose, delete it";
  return new Failure("log_changed", `${message}: ${remedy}`);
}
