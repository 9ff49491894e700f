import { createTopic, KafkaConnection, openKafkaLog, type KafkaOptions, type Log } from "@seriatim/log";
import { createGenesis, encodeGenesis, Failure, type Genesis, type Limits } from "@seriatim/protocol";
import { codecOf, firstRecords, foundEffects } from "./genesis.ts";
import { topicsOf } from "./kafka-logs.ts";

export interface InitOptions extends KafkaOptions {
  readonly space: string;
  readonly partitions: number;
  /** How many brokers keep each topic; the broker's default unless given. */
  readonly replication?: number;
  readonly limits?: Partial<Limits>;
}

/**
 * Makes a space: its topics, and one genesis in every partition. Safe to run again, and by two at once: the first
 * genesis in partition 0 counts, whoever appended it, and is copied to the others.
 * @returns the space's codec, and whether this call made it.
 * @throws Failure `invalid_argument`, `unavailable`, `topic_settings`; `other_space` when a space of this name has
 *   another partition count.
 */
export async function initKafka(options: InitOptions): Promise<{ readonly genesis: Genesis; readonly made: boolean }> {
  const { space, partitions, replication, limits = {} } = options;
  const topics = topicsOf(space);
  const proposal = encodeGenesis(createGenesis({ partitions, limits: { ...limits, partitionKeys: 1 } }));
  const connection = new KafkaConnection(options);
  try {
    const topic = { partitions, ...(replication === undefined ? {} : { replicationFactor: replication }) };
    for (const name of [topics.intents, topics.verdicts, topics.effects]) await createTopic(connection, name, topic);
    const intents = await openKafkaLog(connection, topics.intents, { isNew: true });
    const effects = await openKafkaLog(connection, topics.effects, { isNew: true });
    try {
      const made = await foundPartitions(intents, partitions, proposal);
      const { genesis } = await codecOf(intents);
      await foundEffects({ intents, effects }, await firstRecords(effects), genesis);
      return { genesis, made };
    } finally {
      await Promise.all([intents.close(), effects.close()]);
    }
  } finally {
    await connection.close();
  }
}

async function foundPartitions(intents: Log, partitions: number, proposal: Uint8Array): Promise<boolean> {
  if (intents.partitions !== partitions)
    throw new Failure(
      "other_space",
      `${intents.name} exists with ${intents.partitions} partitions, not ${partitions}: ask for ${intents.partitions}, or name another space`,
    );
  const before = await firstRecords(intents);
  if (before[0] === undefined) await intents.append(0, [{ value: proposal }]);
  // Only what is read back counts: another process may have been first.
  const [genesis] = before[0] === undefined ? await firstRecords(intents) : before;
  if (genesis === undefined)
    throw new Failure("unavailable", `${intents.name} lost its first record; run init again`, { canRetry: true });
  for (const [partition, record] of before.entries()) {
    if (partition > 0 && record === undefined) await intents.append(partition, [{ value: genesis }]);
  }
  return before[0] === undefined && Buffer.compare(genesis, proposal) === 0;
}
