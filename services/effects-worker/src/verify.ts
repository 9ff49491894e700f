import type { Bounds, Log } from "@seriatim/log";
import { encodeGenesis, Failure, type Hash, type RecordCodec } from "@seriatim/protocol";
import { recordsAt } from "./records-at.ts";
import type { EffectsStore } from "./store/effects-store.ts";
import type { Position } from "./store/row.ts";

export interface VerifyOptions {
  readonly verdicts: Log;
  readonly effects: Log;
  readonly codec: RecordCodec;
  readonly hash: Hash;
  readonly store: EffectsStore;
  readonly partitions: readonly number[];
  readonly signal?: AbortSignal;
}

/**
 * Verifies that the effects log begins with the space's genesis, and that both logs are still those that the store was
 * folded from. One that was recreated would have everything called again that was ever committed.
 * @throws Failure `log_changed` saying which log, where and what changed; `unavailable`; `aborted`.
 */
export async function verifyLogs(options: VerifyOptions): Promise<void> {
  const positions = new Map(options.partitions.map((partition) => [partition, options.store.position(partition)]));
  for (const [partition, { nextEffect, nextVerdict }] of positions) {
    checkBounds(options.effects, partition, await options.effects.bounds(partition), Math.max(1, nextEffect));
    if (nextVerdict > 0)
      checkBounds(options.verdicts, partition, await options.verdicts.bounds(partition), nextVerdict);
  }
  await verifyGenesis(options);
  await verifyEffects(options, positions);
  await verifyVerdicts(options, positions);
}

function checkBounds(log: Log, partition: number, { start, end }: Bounds, read: number): void {
  const where = `partition ${partition} of ${log.name}`;
  if (end === 0) throw changed(`${where} is empty, and does not even hold the space's genesis`);
  if (start > 0) throw changed(`${where} was truncated: it starts at offset ${start}`);
  if (end < read) throw changed(`${where} was recreated or cut: it ends at offset ${end}, and was read up to ${read}`);
}

async function verifyGenesis({ effects, codec, partitions, signal }: VerifyOptions): Promise<void> {
  const genesis = encodeGenesis(codec.genesis);
  const first = await recordsAt(effects, new Map(partitions.map((partition) => [partition, 0])), signal);
  for (const [partition, { value }] of first)
    if (Buffer.compare(value, genesis) !== 0)
      throw changed(`partition ${partition} of ${effects.name} does not begin with the space's genesis`);
}

type Positions = ReadonlyMap<number, Position>;

async function verifyEffects({ effects, hash, signal }: VerifyOptions, positions: Positions): Promise<void> {
  const last = [...positions].filter(([, { nextEffect }]) => nextEffect > 0);
  const from = new Map(last.map(([partition, { nextEffect }]) => [partition, nextEffect - 1]));
  for (const [partition, { offset, value }] of await recordsAt(effects, from, signal)) {
    const position = positions.get(partition);
    if (position?.nextEffect === offset + 1 && position.lastEffect === hash(value)) continue;
    throw changed(`partition ${partition} of ${effects.name} holds another record at offset ${from.get(partition)}`);
  }
}

async function verifyVerdicts({ verdicts, codec, signal }: VerifyOptions, positions: Positions): Promise<void> {
  const applied = [...positions].filter(([, { at }]) => at >= 0);
  const from = new Map(applied.map(([partition, { at }]) => [partition, at]));
  for (const [partition, { offset, value }] of await recordsAt(verdicts, from, signal)) {
    const position = positions.get(partition);
    if (position?.at === offset && codec.decodeVerdict(value)?.chain === position.chain) continue;
    throw changed(`partition ${partition} of ${verdicts.name} holds another verdict at offset ${from.get(partition)}`);
  }
}

function changed(what: string): Failure {
  return new Failure(
    "log_changed",
    `${what}: what was called can no longer be told from it. Bring the old log back; nothing is called until then`,
  );
}
