import { SimulatedLog, SqliteFile, type Log } from "@seriatim/log";
import {
  emptyIntent,
  createCodec,
  createGenesis,
  encodeGenesis,
  sha256,
  type Failure,
  type Genesis,
  type Limits,
  type RecordCodec,
  type Submit,
} from "@seriatim/protocol";
import { Sequencer, type SequencerOptions } from "@seriatim/sequencer";
import { View } from "@seriatim/view";
import { onTestFinished } from "vitest";
import { temporaryFile } from "./temporary.ts";

export interface Member {
  readonly sequencer: Sequencer;
  readonly view: View;
  readonly file: SqliteFile;
  /** Resolves when it was stopped, rejects when it stopped by itself. */
  readonly running: Promise<void>;
  stop(): Promise<void>;
}

/** A space on simulated logs, with any number of sequencers, each with a view of its own. */
export class SimulatedSpace {
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly intents: SimulatedLog;
  readonly verdicts: SimulatedLog;

  private constructor(genesis: Genesis, seed: number) {
    this.genesis = genesis;
    this.codec = createCodec(genesis, sha256);
    const { partitions } = genesis;
    this.intents = new SimulatedLog({ seed, name: "intents", partitions });
    this.verdicts = new SimulatedLog({ seed: seed + 1, name: "verdicts", partitions, clock: this.intents.clock });
  }

  static async create(
    options: { seed?: number; partitions?: number; limits?: Partial<Limits> } = {},
  ): Promise<SimulatedSpace> {
    const { seed = 1, partitions = 1, limits = {} } = options;
    const space = new SimulatedSpace(createGenesis({ partitions, limits }), seed);
    for (let partition = 0; partition < partitions; partition += 1)
      await space.intents.append(partition, [{ value: encodeGenesis(space.genesis) }]);
    return space;
  }

  submit(parts: Partial<Submit> & Pick<Submit, "id">): Uint8Array {
    return this.codec.encodeIntent({ ...emptyIntent, space: this.genesis.space, agent: "agent", ...parts });
  }

  async append(record: Uint8Array, partition = 0): Promise<number> {
    return this.intents.append(partition, [{ value: record }]);
  }

  /** Starts a sequencer; it stops with the test. */
  async start(options: Partial<SequencerOptions> & { readonly path?: string } = {}): Promise<Member> {
    const { path = temporaryFile(), ...others } = options;
    const file = SqliteFile.open(path);
    const view = await View.open(file);
    const sequencer = await Sequencer.open({
      intents: this.intents,
      verdicts: this.verdicts,
      view,
      file,
      codec: this.codec,
      hash: sha256,
      stallAfter: 20,
      ...others,
    });
    const stopping = new AbortController();
    const running = sequencer.run(stopping.signal);
    running.catch(() => undefined);
    const stop = async (): Promise<void> => {
      stopping.abort();
      await running.catch(() => undefined);
      file.close();
    };
    onTestFinished(stop);
    return { sequencer, view, file, running, stop };
  }
}

/** Resolves when `view` has applied `offset`. Rejects if `failing` does first. */
export async function applied({ file, view, running }: Member, offset: number, partition = 0): Promise<void> {
  const reached = new Promise<void>((resolve) => {
    const isReached = (): boolean => file.isOpen && view.position(partition).offset >= offset;
    const unsubscribe = file.subscribe(() => {
      if (file.isOpen && !isReached()) return;
      unsubscribe();
      resolve();
    });
    if (isReached()) resolve();
  });
  await Promise.race([reached, running]);
}

/** A log that does not append the records that `isLost` picks, and says that it did. */
export function lossy(log: Log, isLost: (value: Uint8Array) => boolean): Log {
  return appendingBy(log, (partition, records, options) =>
    log.append(
      partition,
      records.filter(({ value }) => !isLost(value)),
      options,
    ),
  );
}

/** A log of which each append fails for as long as there is a failure. */
export function failing(log: Log, failure: () => Failure | undefined): Log {
  return appendingBy(log, (partition, records, options) => {
    const found = failure();
    return found === undefined ? log.append(partition, records, options) : Promise.reject(found);
  });
}

function appendingBy(log: Log, append: Log["append"]): Log {
  return {
    name: log.name,
    partitions: log.partitions,
    read: (from, options) => log.read(from, options),
    bounds: (partition) => log.bounds(partition),
    close: () => log.close(),
    append,
  };
}
