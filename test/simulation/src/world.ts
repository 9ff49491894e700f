import { Random, SimulatedLog, SqliteFile, VirtualClock, type Batch, type Fault, type Log } from "@seriatim/log";
import {
  bytesOf,
  createCodec,
  createGenesis,
  encodeGenesis,
  partitionOf,
  sha256,
  toBytes,
  type Genesis,
  type RecordCodec,
} from "@seriatim/protocol";
import { View } from "@seriatim/view";
import type { Disturbance, Plan } from "./plan.ts";
import { Receiver } from "./receiver.ts";
import { sharedCodec } from "./shared-codec.ts";
import { UnreliableLog } from "./unreliable-log.ts";

export const partitions = [0, 1] as const;

/** How long a seed may take, in ms of virtual time: one that takes longer needs a hand. */
const mostTime = 10 * 60_000;

/** What all processes of one simulated space share: its logs, its time, and the chance that the seed determines. */
export class World {
  readonly seed: number;
  readonly plan: Plan;
  readonly clock = new VirtualClock();
  readonly random: Random;
  readonly genesis: Genesis;
  readonly codec: RecordCodec;
  readonly intents: SimulatedLog;
  readonly verdicts: SimulatedLog;
  readonly effects: SimulatedLog;
  readonly receiver = new Receiver();
  /** The verdicts log as its writers have it. */
  readonly writtenVerdicts: Log;
  /** A view that has seen nothing. */
  readonly emptyView: Uint8Array;
  /** The first segments of keys, one of each partition. */
  readonly partitionKeys: readonly string[];
  /** The records that agents have sent and that stand in the log. */
  readonly sent: { readonly partition: number; readonly record: Uint8Array }[] = [];
  readonly happened: { [disturbance in Disturbance]?: number } = {};
  /** The offset from which nobody has read each partition of the verdicts log. */
  readonly #unread: number[] = partitions.map(() => 0);
  /** From here on nothing is disturbed any more. */
  isCalm = false;
  /** The intents log has lost records: to stop is right. */
  hasLost = false;
  /** Rejects when something went wrong in a process that is not looked at now. */
  readonly broken: Promise<never>;
  #break!: (error: unknown) => void;
  #end: () => void;

  private constructor(seed: number, plan: Plan, random: Random, genesis: Genesis, emptyView: Uint8Array) {
    this.seed = seed;
    this.plan = plan;
    this.random = random;
    this.genesis = genesis;
    this.codec = sharedCodec(createCodec(genesis, sha256));
    this.emptyView = emptyView;
    const shared = { partitions: genesis.partitions, clock: this.clock, maxDelay: plan.maxDelay };
    this.intents = new SimulatedLog({ ...shared, seed: random.word(), name: "intents" });
    this.verdicts = new SimulatedLog({ ...shared, seed: random.word(), name: "verdicts" });
    this.effects = new SimulatedLog({ ...shared, seed: random.word(), name: "effects" });
    this.writtenVerdicts = new UnreliableLog(this);
    this.partitionKeys = partitions.map((partition) => keyOf(partition, genesis.partitions));
    this.broken = new Promise((_, reject) => (this.#break = reject));
    this.broken.catch(() => undefined);
    this.#end = this.clock.schedule(() => this.fail(new Error(`the seed was not done after ${mostTime} ms`)), mostTime);
  }

  static async create(seed: number, plan: Plan, random: Random): Promise<World> {
    const genesis = genesisOf(random, plan.window);
    const world = new World(seed, plan, random, genesis, await emptyViewOf(genesis));
    for (const partition of partitions) await world.intents.append(partition, [{ value: encodeGenesis(genesis) }]);
    world.intents.faults.rates = plan.intents;
    world.verdicts.faults.rates = plan.verdicts;
    world.effects.faults.rates = plan.intents;
    return world;
  }

  /** A stream of chance of its own, so that what one process does changes no other's. */
  fork(): Random {
    return new Random(this.random.word());
  }

  /** Whether the disturbance happens on this occasion; counted if it does. */
  happens(disturbance: Disturbance): boolean {
    const chance = this.plan.chances[disturbance] ?? 0;
    if (this.isCalm || chance === 0 || !this.random.chance(chance)) return false;
    this.note(disturbance);
    return true;
  }

  note(disturbance: Disturbance): void {
    this.happened[disturbance] = (this.happened[disturbance] ?? 0) + 1;
  }

  /** How many records stand in the intents log, without the genesis. */
  intentsCount(): number {
    const ends = partitions.map((partition) => this.intents.records.bounds(partition).end - 1);
    return ends.reduce((sum, end) => sum + end);
  }

  noteRead(log: Log, { partition, records }: Batch): void {
    if (log.name !== this.verdicts.name) return;
    const next = (records.at(-1)?.offset ?? -1) + 1;
    this.#unread[partition] = Math.max(this.#unread[partition] ?? 0, next);
  }

  /** Takes the verdicts from the log that nobody has read. */
  cutVerdicts(partition: number): void {
    const { end } = this.verdicts.records.bounds(partition);
    const unread = this.#unread[partition] ?? 0;
    this.verdicts.records.truncate(partition, unread + this.random.below(end - unread + 1));
  }

  fail(error: unknown): void {
    this.#break(error);
  }

  /** Ends all faults. */
  calm(): void {
    this.isCalm = true;
    this.intents.faults.rates = {};
    this.verdicts.faults.rates = {};
    this.effects.faults.rates = {};
  }

  /** Waits for `condition`, which is looked at from time to time. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await Promise.race([this.clock.sleep(100), this.broken]);
  }

  end(): void {
    this.#end();
  }

  /** How often each fault and disturbance came about. */
  fired(): Map<Fault | Disturbance, number> {
    const counts = new Map<Fault | Disturbance, number>();
    const logs = [this.intents.faults.fired, this.verdicts.faults.fired, this.effects.faults.fired];
    for (const fired of [...logs, this.happened] as const)
      for (const [name, count] of Object.entries(fired) as [Fault | Disturbance, number][])
        counts.set(name, (counts.get(name) ?? 0) + count);
    return counts;
  }
}

function genesisOf(random: Random, window: number): Genesis {
  const space = bytesOf(Uint8Array.from({ length: 16 }, () => random.below(256)));
  const sizes = { keyBytes: 64, nameBytes: 64, valueBytes: 256, effectBytes: 256, verdictBytes: 4096 };
  const limits = { ...sizes, window, conflicts: 3, writes: 8 };
  return { ...createGenesis({ partitions: partitions.length, limits }), space };
}

/** Made once: creating tables takes longer than anything else in a start. */
let tables: Uint8Array | undefined;

async function emptyViewOf(genesis: Genesis): Promise<Uint8Array> {
  const file = SqliteFile.inMemory(tables);
  const view = await View.open(file);
  tables ??= file.database.serialize();
  await file.transaction(() => view.bind(encodeGenesis(genesis)));
  const image = file.database.serialize();
  file.close();
  return image;
}

function keyOf(partition: number, of: number): string {
  const found = ["a", "b", "c", "d", "e", "f"].find((key) => partitionOf(toBytes(key), of) === partition);
  if (found === undefined) throw new Error(`no key of one letter belongs to partition ${partition}`);
  return found;
}
