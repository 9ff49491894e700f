import { KafkaConnection, openKafkaLog, SqliteFile, type KafkaOptions, type Log } from "@seriatim/log";
import { encodeGenesis, Failure, isFailure, sha256, type RecordCodec } from "@seriatim/protocol";
import { verifyPosition, View } from "@seriatim/view";
import { allPartitions, checkEffects, codecOf, firstRecords } from "./genesis.ts";

const spaceNames = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

export interface Topics {
  readonly intents: string;
  readonly verdicts: string;
  readonly effects: string;
}

/** @throws Failure `invalid_argument` when no topics can have that name. */
export function topicsOf(space: string): Topics {
  if (!spaceNames.test(space))
    throw new Failure(
      "invalid_argument",
      `${JSON.stringify(space)} cannot name a space: use letters, digits, ".", "_" and "-", at most 200, beginning with a letter or digit`,
    );
  return { intents: `${space}.intents`, verdicts: `${space}.verdicts`, effects: `${space}.effects` };
}

/** The logs of a space on Kafka, and the codec that its genesis says. */
export class KafkaLogs {
  readonly connection: KafkaConnection;
  readonly intents: Log;
  readonly verdicts: Log;
  readonly effects: Log;
  readonly codec: RecordCodec;

  private constructor(connection: KafkaConnection, logs: ThreeLogs, codec: RecordCodec) {
    this.connection = connection;
    this.intents = logs.intents;
    this.verdicts = logs.verdicts;
    this.effects = logs.effects;
    this.codec = codec;
  }

  /**
   * @param options.view a view, if there is one: whoever has folded a space is not told that it was never made
   * @throws Failure `unavailable`, `not_a_space`, `other_space`, `topic_settings`, `unknown_rules`, `log_changed`.
   */
  static async open(options: KafkaOptions & { readonly space: string; readonly view?: string }): Promise<KafkaLogs> {
    try {
      return await KafkaLogs.#open(options);
    } catch (error) {
      const { view, space } = options;
      if (view === undefined || !isFailure(error, "not_a_space") || !(await isBound(view))) throw error;
      const message = `${error.message} But the view in ${view} was folded from a space ${space} that was there before`;
      const remedy = "its topics were deleted or made anew: bring the old ones back, or delete the view";
      throw new Failure("log_changed", `${message}: ${remedy}`, { cause: error });
    }
  }

  static async #open(options: KafkaOptions & { readonly space: string }): Promise<KafkaLogs> {
    const topics = topicsOf(options.space);
    const connection = new KafkaConnection(options);
    const opened: Log[] = [];
    const open = async (topic: string): Promise<Log> => {
      const log = await openKafkaLog(connection, topic);
      opened.push(log);
      return log;
    };
    try {
      const intents = await open(topics.intents);
      const logs = { intents, verdicts: await open(topics.verdicts), effects: await open(topics.effects) };
      checkPartitions(logs);
      const [codec, first] = await Promise.all([codecOf(intents), firstRecords(logs.effects)]);
      checkEffects(logs.effects, first, codec.genesis);
      return new KafkaLogs(connection, logs, codec);
    } catch (error) {
      await Promise.all(opened.map((log) => log.close()));
      await connection.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.intents.close(), this.verdicts.close(), this.effects.close()]);
    await this.connection.close();
  }
}

interface ThreeLogs {
  readonly intents: Log;
  readonly verdicts: Log;
  readonly effects: Log;
}

function checkPartitions({ intents, verdicts, effects }: ThreeLogs): void {
  for (const { name, partitions } of [verdicts, effects])
    if (partitions !== intents.partitions)
      throw new Failure(
        "other_space",
        `${name} has ${partitions} partitions and ${intents.name} has ${intents.partitions}: they belong to different spaces`,
      );
}

/** Whether there is a view at `path` that belongs to a space. */
async function isBound(path: string): Promise<boolean> {
  let file: SqliteFile | undefined;
  try {
    file = SqliteFile.open(path, { create: false });
    return (await View.open(file)).genesis() !== undefined;
  } catch (error) {
    if (isFailure(error)) return false;
    throw error;
  } finally {
    file?.close();
  }
}

/** Opens the view in the file at `path`, binds it to the space of `logs`, and verifies that it was folded from them. */
export async function openView(
  path: string,
  logs: Pick<KafkaLogs, "intents" | "verdicts" | "codec">,
): Promise<{ file: SqliteFile; view: View }> {
  const { intents, verdicts, codec } = logs;
  const file = SqliteFile.open(path, { synchronous: "normal" });
  try {
    const view = await View.open(file);
    await file.transaction(() => view.bind(encodeGenesis(codec.genesis)));
    await verifyPosition({ intents, verdicts, view, partitions: allPartitions(codec.genesis), hash: sha256 });
    return { file, view };
  } catch (error) {
    file.close();
    throw error;
  }
}
