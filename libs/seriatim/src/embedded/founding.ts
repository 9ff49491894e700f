import { SqliteLog, type SqliteFile } from "@seriatim/log";
import { createGenesis, decodeGenesis, encodeGenesis, Failure, type Genesis, type Limits } from "@seriatim/protocol";
import { View } from "@seriatim/view";
import { checkEffects } from "../genesis.ts";

/** What an embedded space's file holds. */
export interface Founded {
  readonly view: View;
  readonly intents: SqliteLog;
  readonly verdicts: SqliteLog;
  readonly effects: SqliteLog;
  readonly genesis: Genesis;
  /** Whether this call made the space. */
  readonly made: boolean;
}

const partition = 0;

/**
 * Opens the logs and the view in `file`, and makes a space with these limits where there is none; two processes that do
 * so in the same new file make one.
 * @throws Failure `other_space` when the file is the view of a space on Kafka, which is left as it is.
 */
export async function foundSpace(file: SqliteFile, limits: Partial<Limits> = {}): Promise<Founded> {
  const view = await View.open(file);
  const bound = await file.read(() => view.genesis());
  // Only a file with all in one partition allows any number of partition keys.
  if (bound !== undefined && decodeGenesis(bound).limits.partitionKeys !== 0)
    throw new Failure(
      "other_space",
      `${file.path} is the view of a space on Kafka: name its brokers, or another file for an embedded space`,
    );
  const intents = await SqliteLog.open(file, "intents");
  const verdicts = await SqliteLog.open(file, "verdicts");
  const effects = await SqliteLog.open(file, "effects");
  const logs = { view, intents, verdicts, effects };
  const found = await file.read(() => firstOf(intents));
  if (found !== undefined) return { ...logs, genesis: await checked(file, effects, found), made: false };
  const proposal = encodeGenesis(createGenesis({ partitions: 1, limits: { ...limits, partitionKeys: 0 } }));
  const made = await file.transaction(() => {
    if (firstOf(intents) !== undefined) return false;
    for (const log of [intents, effects]) log.appendNow(partition, [{ value: proposal }]);
    return true;
  });
  return { ...logs, genesis: decodeGenesis((await file.read(() => firstOf(intents))) ?? proposal), made };
}

function firstOf(log: SqliteLog): Uint8Array | undefined {
  return log.readNow(partition, 0, { count: 1, bytes: 1 })[0]?.value;
}

async function checked(file: SqliteFile, effects: SqliteLog, found: Uint8Array): Promise<Genesis> {
  const genesis = decodeGenesis(found);
  checkEffects(effects, [await file.read(() => firstOf(effects))], genesis);
  return genesis;
}
