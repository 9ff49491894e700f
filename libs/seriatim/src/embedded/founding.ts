import { SqliteLog, type SqliteFile } from "@seriatim/log";
import { createGenesis, decodeGenesis, encodeGenesis, Failure, type Genesis, type Limits } from "@seriatim/protocol";
import { View } from "@seriatim/view";

/** What an embedded space's file holds. */
export interface Founded {
  readonly view: View;
  readonly intents: SqliteLog;
  readonly verdicts: SqliteLog;
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
  const first = (): Uint8Array | undefined => intents.readNow(partition, 0, { count: 1, bytes: 1 })[0]?.value;
  const found = await file.read(first);
  if (found !== undefined) return { view, intents, verdicts, genesis: decodeGenesis(found), made: false };
  const proposal = encodeGenesis(createGenesis({ partitions: 1, limits: { ...limits, partitionKeys: 0 } }));
  const made = await file.transaction(() => {
    if (first() !== undefined) return false;
    intents.appendNow(partition, [{ value: proposal }]);
    return true;
  });
  const genesis = decodeGenesis((await file.read(first)) ?? proposal);
  return { view, intents, verdicts, genesis, made };
}
