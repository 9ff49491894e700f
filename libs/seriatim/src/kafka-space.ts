import { createTopic, KafkaConnection, openKafkaLog, SqliteFile, type KafkaOptions, type Log } from "@seriatim/log";
import type { Advance, Space } from "@seriatim/client";
import {
  createGenesis,
  encodeGenesis,
  Failure,
  isFailure,
  sha256,
  type Genesis,
  type Limits,
  type RecordCodec,
  type Version,
} from "@seriatim/protocol";
import { verifyPosition, View, type Alarm } from "@seriatim/view";
import { Advances } from "./advances.ts";
import { allPartitions, codecOf, firstRecords } from "./genesis.ts";
import { KafkaFollowing } from "./kafka-following.ts";

export interface ConnectOptions extends KafkaOptions {
  /** The space's name: its topics are `<space>.intents` and `<space>.verdicts`. */
  readonly space: string;
  /**
   * The file of the view. Processes of one machine share it. It is rebuilt from the verdicts when it is missing.
   */
  readonly view: string;
  /** Called when the verdicts log lacks a verdict, and when it came after all. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** How long, in ms, to wait for a sequencer where none has begun to decide yet. Default 10,000. */
  readonly beginTimeout?: number;
}

export interface InitOptions extends KafkaOptions {
  readonly space: string;
  readonly partitions: number;
  /** How many brokers keep each topic; the broker's default unless given. */
  readonly replication?: number;
  readonly limits?: Partial<Limits>;
}

const spaceNames = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

function topicsOf(space: string): { readonly intents: string; readonly verdicts: string } {
  if (!spaceNames.test(space))
    throw new Failure(
      "invalid_argument",
      `${JSON.stringify(space)} cannot name a space: use letters, digits, ".", "_" and "-", at most 200, beginning with a letter or digit`,
    );
  return { intents: `${space}.intents`, verdicts: `${space}.verdicts` };
}

/** The logs of a space on Kafka, and the codec that its genesis says. */
export class KafkaLogs {
  readonly connection: KafkaConnection;
  readonly intents: Log;
  readonly verdicts: Log;
  readonly codec: RecordCodec;

  private constructor(connection: KafkaConnection, intents: Log, verdicts: Log, codec: RecordCodec) {
    this.connection = connection;
    this.intents = intents;
    this.verdicts = verdicts;
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
    const logs: Log[] = [];
    try {
      const intents = await openKafkaLog(connection, topics.intents);
      logs.push(intents);
      const verdicts = await openKafkaLog(connection, topics.verdicts);
      logs.push(verdicts);
      const codec = await codecOf(intents);
      if (verdicts.partitions !== intents.partitions)
        throw new Failure(
          "other_space",
          `${topics.verdicts} has ${verdicts.partitions} partitions and ${topics.intents} has ${intents.partitions}: they belong to different spaces`,
        );
      return new KafkaLogs(connection, intents, verdicts, codec);
    } catch (error) {
      await Promise.all(logs.map((log) => log.close()));
      await connection.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.intents.close(), this.verdicts.close()]);
    await this.connection.close();
  }
}

/**
 * A space on Kafka: intents are appended to a topic, some sequencer decides them, and this process follows the verdicts
 * into its view.
 */
export class KafkaSpace implements Space {
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly view: View;
  readonly file: SqliteFile;
  readonly intents: Log;
  readonly verdicts: Log;
  readonly #logs: KafkaLogs;
  readonly #advances: Advances;
  readonly #following: KafkaFollowing;

  private constructor(logs: KafkaLogs, file: SqliteFile, view: View, onAlarm: (alarm: Alarm) => void) {
    this.#logs = logs;
    this.genesis = logs.codec.genesis;
    this.codec = logs.codec;
    this.intents = logs.intents;
    this.verdicts = logs.verdicts;
    this.file = file;
    this.view = view;
    this.#advances = new Advances(view, this.genesis.partitions);
    const { connection, intents, verdicts, codec } = logs;
    const onAdvance = (): void => this.#advances.look();
    this.#following = new KafkaFollowing({ connection, intents, verdicts, codec, file, view, onAdvance, onAlarm });
    this.#following.ended.catch((error: unknown) =>
      this.#advances.end(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /**
   * Resolves when the view holds what was decided before the call.
   * @throws what {@link KafkaLogs.open} does; Failure `log_changed` when the view was folded from other logs; `not_yet`
   *   when no sequencer has begun to decide.
   */
  static async open(options: ConnectOptions): Promise<KafkaSpace> {
    const logs = await KafkaLogs.open(options);
    try {
      const { file, view } = await openView(options.view, logs);
      const space = new KafkaSpace(logs, file, view, options.onAlarm ?? (() => undefined));
      return await space.#begun(options.space, options.beginTimeout ?? 10_000);
    } catch (error) {
      await logs.close();
      throw error;
    }
  }

  /** Waits until the view can be read: behind what was decided, it would answer with what is long gone. */
  async #begun(name: string, timeout: number): Promise<this> {
    try {
      await this.#following.caughtUp;
      for (const partition of allPartitions(this.genesis)) await this.reached({ partition, offset: 0 }, { timeout });
      return this;
    } catch (error) {
      await this.close();
      if (!isFailure(error, "not_yet")) throw error;
      const message = `no sequencer has begun to decide the space ${name}: start one with \`seriatim sequencer --space ${name}\``;
      throw new Failure("not_yet", message, { canRetry: true, cause: error });
    }
  }

  assertGoing(): void {
    this.#advances.assertGoing();
  }

  async append(partition: number, record: Uint8Array, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    this.assertGoing();
    await this.intents.append(partition, [{ value: record }], options);
  }

  subscribe(listener: (advance: Advance) => void): () => void {
    return this.#advances.subscribe(listener);
  }

  reached(version: Version, options?: { readonly signal?: AbortSignal; readonly timeout?: number }): Promise<void> {
    return this.#advances.reached(version, options);
  }

  async close(): Promise<void> {
    this.#advances.end(new Failure("closed", "the connection to the space was closed; connect again"));
    await this.#following.stop();
    await this.#logs.close();
    this.file.close();
  }
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
    for (const name of [topics.intents, topics.verdicts]) await createTopic(connection, name, topic);
    const intents = await openKafkaLog(connection, topics.intents);
    try {
      const made = await foundPartitions(intents, partitions, proposal);
      return { genesis: (await codecOf(intents)).genesis, made };
    } finally {
      await intents.close();
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
