import type { KafkaOptions, Log, SqliteFile } from "@seriatim/log";
import type { Advance, AppendOptions, Space } from "@seriatim/client";
import { Failure, isFailure, type Genesis, type RecordCodec, type Version } from "@seriatim/protocol";
import type { Alarm, View } from "@seriatim/view";
import { Advances } from "./advances.ts";
import { allPartitions } from "./genesis.ts";
import { KafkaFollowing } from "./kafka-following.ts";
import { KafkaLogs, openView } from "./kafka-logs.ts";

export interface ConnectOptions extends KafkaOptions {
  /** The space's name: its topics are `<space>.intents`, `<space>.verdicts` and `<space>.effects`. */
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
  readonly effects: Log;
  readonly #logs: KafkaLogs;
  readonly #advances: Advances;
  readonly #following: KafkaFollowing;
  /** The highest offset that this process has appended to each partition. */
  readonly #appended = new Map<number, number>();

  private constructor(logs: KafkaLogs, file: SqliteFile, view: View, onAlarm: (alarm: Alarm) => void) {
    this.#logs = logs;
    this.genesis = logs.codec.genesis;
    this.codec = logs.codec;
    this.intents = logs.intents;
    this.verdicts = logs.verdicts;
    this.effects = logs.effects;
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

  async append(partition: number, record: Uint8Array, options: AppendOptions = {}): Promise<void> {
    this.assertGoing();
    const { headers = {}, ...others } = options;
    const offset = await this.intents.append(partition, [{ value: record, headers }], others);
    this.#appended.set(partition, Math.max(offset, this.#appended.get(partition) ?? 0));
  }

  backlog(partition: number): number {
    const appended = this.#appended.get(partition);
    return appended === undefined ? 0 : Math.max(0, appended - this.view.position(partition).offset);
  }

  async report(partition: number, record: Uint8Array): Promise<void> {
    this.assertGoing();
    await this.effects.append(partition, [{ value: record }]);
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
