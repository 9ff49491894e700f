import type { Log } from "@seriatim/log";
import {
  createCodec,
  decodeGenesis,
  encodeGenesis,
  Failure,
  isGenesis,
  sha256,
  type Genesis,
  type RecordCodec,
} from "@seriatim/protocol";

/**
 * The first record of each partition, in order; undefined where a partition is empty.
 * @throws Failure `log_changed` when a partition had records that are gone, its genesis among them; `unavailable` when
 *   the log cannot be read.
 */
export async function firstRecords(log: Log): Promise<(Uint8Array | undefined)[]> {
  const first: (Uint8Array | undefined)[] = Array.from({ length: log.partitions });
  const from = new Map<number, number>();
  for (const partition of first.keys()) {
    const { start, end } = await log.bounds(partition);
    if (start > 0)
      throw new Failure(
        "log_changed",
        `partition ${partition} of ${log.name} was truncated: it starts at offset ${start}, and its genesis is gone: bring the old topic back, or make a space of another name`,
      );
    if (end > start) from.set(partition, start);
  }
  if (from.size === 0) return first;
  const stop = new AbortController();
  const wanted = new Set(from.keys());
  for await (const { partition, records } of log.read(from, { signal: stop.signal })) {
    first[partition] ??= records[0]?.value;
    wanted.delete(partition);
    if (wanted.size === 0) stop.abort();
  }
  return first;
}

/**
 * The codec of the space whose intents log this is.
 * @throws Failure `not_a_space` when a partition has no genesis, or another one than partition 0 has; `log_changed`.
 */
export async function codecOf(intents: Log): Promise<RecordCodec> {
  const [first, ...others] = await firstRecords(intents);
  const remedy = "run `seriatim init`, which is safe to run again, or name another space";
  if (first === undefined) throw new Failure("not_a_space", `${intents.name} is empty: ${remedy}`);
  const genesis = decodeGenesis(first);
  if (genesis.partitions !== intents.partitions)
    throw new Failure(
      "other_space",
      `${intents.name} has ${intents.partitions} partitions and its genesis says ${genesis.partitions}: partitions must not be added to a space's topics; make a new space`,
    );
  for (const [index, record] of others.entries()) {
    if (record === undefined)
      throw new Failure("not_a_space", `partition ${index + 1} of ${intents.name} has no genesis: ${remedy}`);
    if (Buffer.compare(record, first) !== 0)
      throw new Failure(
        "other_space",
        `partitions 0 and ${index + 1} of ${intents.name} begin with different records: ${remedy}`,
      );
  }
  return createCodec(genesis, sha256);
}

export function allPartitions(genesis: Pick<Genesis, "partitions">): number[] {
  return Array.from({ length: genesis.partitions }, (_, index) => index);
}

/**
 * Checks that each partition of the effects log begins with the space's genesis: one that does not has forgotten what
 * was called.
 * @param first the first record of each of its partitions.
 * @throws Failure `log_changed` where there is none; `other_space` where it is another.
 */
export function checkEffects(effects: Log, first: readonly (Uint8Array | undefined)[], genesis: Genesis): void {
  const wanted = encodeGenesis(genesis);
  for (const [partition, record] of first.entries()) {
    if (record === undefined) throw withoutGenesis(effects, partition);
    if (Buffer.compare(record, wanted) !== 0)
      throw new Failure(
        "other_space",
        `partition ${partition} of ${effects.name} does not begin with the genesis of the intents log: it belongs to another space; bring its own back`,
      );
  }
}

/**
 * Puts the genesis at the beginning of each partition of the effects log that is empty. That is done before a space can
 * be used: where something was decided already, the log was lost, and a new one would have every effect called again.
 * @param first as for {@link checkEffects}.
 * @throws Failure `log_changed` when the log was lost.
 */
export async function foundEffects(
  logs: { readonly intents: Log; readonly effects: Log },
  first: readonly (Uint8Array | undefined)[],
  genesis: Genesis,
): Promise<void> {
  for (const [partition, record] of first.entries()) {
    if (record !== undefined) continue;
    if (await holdsIntents(logs.intents, partition)) throw withoutGenesis(logs.effects, partition);
    await logs.effects.append(partition, [{ value: encodeGenesis(genesis) }]);
  }
}

/** Whether anything but a genesis was appended: several may have, by as many that made the space at once. */
async function holdsIntents(intents: Log, partition: number): Promise<boolean> {
  const { end } = await intents.bounds(partition);
  if (end <= 1) return false;
  const stop = new AbortController();
  try {
    for await (const { records } of intents.read(new Map([[partition, 0]]), { signal: stop.signal })) {
      if (!records.every(({ value }) => isGenesis(value))) return true;
      if ((records.at(-1)?.offset ?? 0) >= end - 1) return false;
    }
    return true;
  } finally {
    stop.abort();
  }
}

function withoutGenesis(effects: Log, partition: number): Failure {
  return new Failure(
    "log_changed",
    `partition ${partition} of ${effects.name} does not begin with the space's genesis: it was deleted or made anew, and does not say which effects were called; bring the old one back. ` +
      "If the space was never finished, run `seriatim init` again",
  );
}
