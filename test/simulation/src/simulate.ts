import { createHash } from "node:crypto";
import { Random, type Fault, type SimulatedLog } from "@seriatim/log";
import { AgentHost } from "./agents.ts";
import { check } from "./check.ts";
import { DivergedMember } from "./diverged-member.ts";
import { disturb } from "./disturb.ts";
import { lose } from "./loss.ts";
import type { Member } from "./member.ts";
import { planOf, type Disturbance } from "./plan.ts";
import { Reader } from "./reader.ts";
import { SequencerMember } from "./sequencer-member.ts";
import { recordsOf } from "./truth.ts";
import { partitions, World } from "./world.ts";

export interface SeedResult {
  readonly seed: number;
  /** Of both logs, with everything that stands in them. */
  readonly digest: string;
  readonly fired: ReadonlyMap<Fault | Disturbance, number>;
  /** Records of the intents log. */
  readonly intents: number;
  /** How much virtual time it took, in ms. */
  readonly duration: number;
}

/** All processes of a space. */
export interface Cast {
  readonly sequencers: readonly SequencerMember[];
  readonly diverged: DivergedMember | undefined;
  readonly readers: readonly Reader[];
  readonly hosts: readonly AgentHost[];
  readonly all: readonly Member[];
}

/**
 * Runs one whole space, in which everything that happens is determined by the seed, and checks what it leaves behind.
 * Runs of one process must not overlap.
 * @throws when something does not hold.
 */
export async function simulate(seed: number): Promise<SeedResult> {
  const random = new Random(seed);
  const world = await World.create(seed, planOf(random), random);
  const cast = castOf(world);
  const began = world.clock.now();
  const living = cast.all.map((member) => member.live());
  for (const life of living) life.catch((error: unknown) => world.fail(error));
  try {
    await Promise.race([disturb(world, cast), world.broken]);
    world.calm();
    await settle(world, cast);
    check(world, cast);
    const digest = digestOf([world.intents, world.verdicts]);
    const duration = world.clock.now() - began;
    const intents = world.intentsCount();
    if (world.plan.loss !== undefined) await lose(world, cast, world.plan.loss);
    return { seed, digest, fired: world.fired(), intents, duration };
  } finally {
    world.calm();
    for (const member of cast.all) member.end();
    // What belongs to this seed ends before the next one begins.
    await Promise.allSettled(living);
    world.end();
  }
}

/** Many, so that many intents come at once. */
const agents = ["ann", "bob", "cid", "dan", "eve", "fay", "gil", "hal"];

function castOf(world: World): Cast {
  const { plan } = world;
  const sequencers = named(plan.sequencers, "sequencer", (name) => new SequencerMember(world, name));
  const diverged = plan.hasDiverged ? new DivergedMember(sequencers, world, "diverged sequencer") : undefined;
  const readers = named(plan.readers, "reader", (name) => new Reader(world, name));
  const spread = Array.from({ length: plan.hosts }, (_, host) =>
    agents.filter((_name, at) => at % plan.hosts === host),
  );
  const hosts = spread.map((names) => new AgentHost(world, names.join(" and "), names));
  const all = [...sequencers, ...(diverged === undefined ? [] : [diverged]), ...readers, ...hosts];
  return { sequencers, diverged, readers, hosts, all };
}

function named<T>(count: number, name: string, make: (name: string) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(`${name} ${index + 1}`));
}

/** Waits until everyone has come to the end of the log; that nobody has to help is the point. */
async function settle(world: World, { all, diverged }: Cast): Promise<void> {
  const isThere = ({ life }: Member): boolean =>
    life?.file.isOpen === true && partitions.every((at) => life.view.position(at).offset === lastOf(world.intents, at));
  await world.until(() => all.every((member) => isThere(member) || (member === diverged && diverged.hasStopped)));
}

/** The offset of the last record; what was on its way when the agents had done may still come. */
function lastOf(log: SimulatedLog, partition: number): number {
  const { end } = log.records.bounds(partition);
  // At most one hole follows each append.
  return log.records.fetch(partition, Math.max(0, end - 2), 2).at(-1)?.offset ?? -1;
}

export function digestOf(logs: readonly SimulatedLog[]): string {
  const hash = createHash("sha256");
  for (const log of logs)
    for (const partition of partitions)
      for (const { offset, time, value, headers } of recordsOf(log, partition))
        hash.update(`${offset} ${time} ${JSON.stringify(headers)} `).update(value);
  return hash.digest("hex");
}
