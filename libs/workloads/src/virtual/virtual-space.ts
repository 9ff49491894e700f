import type { LoggedHistory, LoggedTransaction } from "@seriatim/checker";
import type { Advance, Space } from "@seriatim/client";
import { SqliteFile, type VirtualClock } from "@seriatim/log";
import {
  bytesOf,
  createCodec,
  createGenesis,
  encodeGenesis,
  Failure,
  sha256,
  type Genesis,
  type RecordCodec,
  type Submit,
  type Version,
} from "@seriatim/protocol";
import { decide, evolve, initialState } from "@seriatim/sequencer";
import { View } from "@seriatim/view";

export interface VirtualSpaceOptions {
  readonly clock: VirtualClock;
  /** How long an append takes, decision included, in ms of virtual time. */
  readonly latency: number;
}

const partition = 0;

/**
 * A space in memory and in virtual time, decided by the real core and folded into a real view: what happens in it is the
 * same every time, to the millisecond.
 */
export class VirtualSpace implements Space {
  readonly genesis: Genesis;
  readonly view: View;
  readonly #options: VirtualSpaceOptions;
  readonly #codec: RecordCodec;
  readonly #file: SqliteFile;
  readonly #state;
  readonly #listeners = new Set<(advance: Advance) => void>();
  readonly #transactions: LoggedTransaction[] = [];
  #end = 0;

  private constructor(options: VirtualSpaceOptions, file: SqliteFile, view: View, genesis: Genesis) {
    this.#options = options;
    this.#file = file;
    this.view = view;
    this.genesis = genesis;
    this.#codec = createCodec(genesis, sha256);
    this.#state = initialState(genesis.limits.window);
  }

  static async open(options: VirtualSpaceOptions): Promise<VirtualSpace> {
    const file = SqliteFile.inMemory();
    const made = createGenesis({ partitions: 1, limits: { partitionKeys: 0 } });
    const genesis = { ...made, space: bytesOf(new Uint8Array(16)) };
    const space = new VirtualSpace(options, file, await View.open(file), genesis);
    await space.#decide(encodeGenesis(genesis));
    return space;
  }

  async append(_: number, record: Uint8Array): Promise<void> {
    await this.#options.clock.sleep(this.#options.latency);
    await this.#decide(record);
  }

  /** Nothing is called in virtual time. */
  async report(): Promise<never> {
    throw new Failure("invalid_argument", "a virtual space has no effects log; use defer, or a space in a file");
  }

  subscribe(listener: (advance: Advance) => void): () => void {
    const entry = (advance: Advance): void => listener(advance);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  async reached({ offset }: Version): Promise<void> {
    if (this.view.position(partition).offset >= offset) return;
    throw new Failure("not_yet", `version ${partition}@${offset} is not in this space`);
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  /** All that was decided so far, for the checker. */
  history(): LoggedHistory {
    const transactions = this.#transactions;
    return {
      kind: "logged",
      starts: new Map([[partition, 0]]),
      effectsKnown: false,
      async *read() {
        yield transactions;
      },
    };
  }

  async #decide(bytes: Uint8Array): Promise<void> {
    const offset = this.#end;
    this.#end += 1;
    const record = { offset, appendTime: this.#options.clock.now(), bytes, digest: sha256(bytes) };
    const rules = { genesis: this.genesis, codec: this.#codec };
    const { verdict } = decide(rules, partition, this.#state.head, this.#state, record);
    evolve(this.#state, verdict);
    const intent = this.#codec.decodeIntent(bytes);
    if (intent?.kind === "submit" && (verdict.outcome.kind === "committed" || verdict.outcome.kind === "refused"))
      this.#transactions.push(logged(intent, offset, verdict.time, verdict.outcome.kind === "committed"));
    await this.#file.transaction(() => this.view.fold(partition, [{ at: offset, verdict }]));
    for (const listener of this.#listeners) listener({ partition, from: offset - 1, to: offset });
  }
}

function logged(intent: Submit, offset: number, time: number, isCommitted: boolean): LoggedTransaction {
  const { snapshot, agent, id, isolation, points, ranges, writes } = intent;
  return {
    kind: "logged",
    partition,
    offset,
    snapshot,
    agent,
    id,
    time,
    isolation,
    status: isCommitted ? "committed" : "aborted",
    points,
    ranges,
    writes: writes.map(({ key, value, blind }) => ({ key, deleted: value === null, blind })),
    effects: [],
  };
}
