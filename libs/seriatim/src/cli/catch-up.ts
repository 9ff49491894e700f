import { Failure, type Offset, type Version } from "@seriatim/protocol";
import { allPartitions, type KafkaSpace } from "../kafka-space.ts";

interface WaitOptions {
  /** In ms. */
  readonly wait: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until the view has applied every verdict that the log holds at the time of the call.
 * @throws Failure `not_yet` naming the remedy; `aborted`.
 */
export async function catchUp(space: KafkaSpace, { wait, signal }: WaitOptions): Promise<void> {
  const deadline = performance.now() + wait;
  const late = AbortSignal.timeout(wait);
  try {
    for (const version of await newestVerdicts(space, AbortSignal.any([signal, late])))
      await space.reached(version, { signal, timeout: Math.max(1, deadline - performance.now()) });
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    throw behind(space, wait, error);
  }
  if (signal.aborted) throw new Failure("aborted", "the wait for the view was ended");
  if (late.aborted) throw behind(space, wait);
}

function behind(space: KafkaSpace, wait: number, cause?: unknown): Failure {
  const heads = allPartitions(space.genesis).map(
    (partition) => `${partition}@${space.view.position(partition).offset}`,
  );
  return new Failure(
    "not_yet",
    `the view in ${space.view.path} did not catch up with ${space.verdicts.name} within ${wait / 1000} s; it has come to ` +
      `${heads.join(", ")}: wait longer with --wait SECONDS, or see with \`seriatim status\` whether verdicts are missing ` +
      "and a sequencer runs",
    { canRetry: true, cause },
  );
}

/**
 * The highest offset of any verdict that stands in the part of the log that the view has not read. Not the log's end:
 * where another process folds for this one, what it has stored of that may lag.
 */
async function newestVerdicts(space: KafkaSpace, signal: AbortSignal): Promise<Version[]> {
  const { verdicts, view, codec } = space;
  const partitions = allPartitions(space.genesis);
  const bounds = await Promise.all(partitions.map((partition) => verdicts.bounds(partition)));
  const ends = new Map(bounds.map(({ end }, partition) => [partition, end]));
  const from = new Map(partitions.map((partition) => [partition, view.position(partition).next]));
  for (const [partition, next] of from) if (next >= (ends.get(partition) ?? 0)) from.delete(partition);
  const newest = new Map<number, Offset>();
  const waiting = new Set(from.keys());
  if (waiting.size === 0) return [];
  const enough = new AbortController();
  for await (const { partition, records } of verdicts.read(from, {
    signal: AbortSignal.any([signal, enough.signal]),
  })) {
    for (const { offset, value } of records) {
      const verdict = codec.decodeVerdict(value);
      if (verdict?.partition === partition)
        newest.set(partition, Math.max(newest.get(partition) ?? -1, verdict.offset));
      if (offset + 1 >= (ends.get(partition) ?? 0)) waiting.delete(partition);
    }
    if (waiting.size === 0) enough.abort();
  }
  return [...newest].map(([partition, offset]) => ({ partition, offset }));
}
