import type { Coordinator, RunResult, SubmitResult, Transaction } from "@seriatim/client";
import { isCallError } from "@seriatim/effects";
import type { Random } from "@seriatim/log";
import { Failure, isolations, toKey } from "@seriatim/protocol";
import { encodeValue } from "@seriatim/client";
import { pick } from "./plan.ts";
import type { SimulatedSpace } from "./space.ts";
import type { World } from "./world.ts";

/** What an agent has to do a job with. */
export interface Hand {
  readonly world: World;
  readonly space: SimulatedSpace;
  readonly coordinator: Coordinator;
  readonly random: Random;
  readonly agent: string;
  /** Takes time. */
  readonly think: () => Promise<void>;
}

/** One thing that an agent does, drawn before it begins, so that an agent that died begins it anew. */
export interface Job {
  /** The first segment of all its keys. */
  readonly key: string;
  /** Names it among the agent's jobs. */
  readonly number: number;
  /** What determines it besides. */
  readonly choice: number;
  /** The business id under which it runs. */
  readonly business?: string;
  /** Log time before which it has to be decided. */
  readonly validUntil?: number;
  readonly perform: (hand: Hand, job: Job) => Promise<RunResult<unknown> | SubmitResult | undefined>;
}

/** How many slots there are, which `slots` must not exceed. */
export const mostSlots = 5;

type Perform = Job["perform"];

const increment: Perform = ({ coordinator, agent, think }, { key, choice }) =>
  coordinator.run({ agent, isolation: choice % 3 === 0 ? "snapshot" : "serializable" }, async (tx) => {
    const count = (await tx.get<number>(`${key}/count`)) ?? 0;
    await think();
    tx.put(`${key}/count`, count + 1);
    return count + 1;
  });

/** Of two, never both are on: write skew would turn both on. */
const turnOn: Perform = ({ coordinator, agent, think }, { key, choice }) =>
  coordinator.run({ agent }, async (tx) => {
    const [mine, other] = choice % 2 === 0 ? ["left", "right"] : ["right", "left"];
    const isOther = (await tx.get<boolean>(`${key}/on/${other}`)) ?? false;
    await think();
    tx.put(`${key}/on/${mine}`, !isOther);
    return !isOther;
  });

/** A slot for each, as long as there are any: phantoms would exceed them. */
const slots: Perform = ({ coordinator, agent, think }, { key, number, choice }) =>
  coordinator.run({ agent }, async (tx) => {
    if (choice % 3 === 0) {
      const [taken] = await tx.scan({ prefix: `${key}/slot/` }, { limit: 1, reverse: choice % 2 === 0 });
      if (taken !== undefined) tx.delete(taken.key);
      return taken?.key ?? null;
    }
    const count = await tx.count({ prefix: `${key}/slot/` });
    await think();
    if (count >= mostSlots) return null;
    tx.put(`${key}/slot/${agent}${number}`, number);
    return count + 1;
  });

/** Named anew when the job is begun anew: the task of the first time may have been added, and done. */
const addTask: Perform = ({ coordinator, agent, random }, { key, number }) => {
  const name = `${agent}${number}-${random.below(1_000_000)}`;
  return coordinator.run({ agent }, (tx) => {
    tx.put(`${key}/open/${name}`, number);
    return number;
  });
};

const claimTask: Perform = ({ coordinator, agent, think }, { key }) =>
  coordinator.run({ agent, attempts: 4 }, async (tx) => {
    const [task] = await tx.scan({ prefix: `${key}/open/` }, { limit: 1 });
    if (task === undefined) return null;
    await think();
    tx.delete(task.key);
    tx.put(`${key}/done/${task.key.slice(task.key.lastIndexOf("/") + 1)}`, agent);
    return task.key;
  });

const note: Perform = ({ coordinator, agent }, { key, number, choice }) =>
  coordinator.run({ agent, isolation: pickBy(choice, isolations) }, async (tx) => {
    const before = choice % 2 === 0 ? await tx.get(`${key}/note/${choice % 3}`) : undefined;
    tx.put(`${key}/note/${choice % 3}`, { number, before: before === undefined }, { blind: choice % 5 < 3 });
  });

const timed: Perform = ({ coordinator, agent }, { key, number, validUntil = 0 }) =>
  coordinator.run({ agent }, (tx) => {
    tx.validUntil(validUntil);
    tx.put(`${key}/timed/${number % 3}`, number, { blind: true });
  });

const business: Perform = ({ coordinator, agent, think }, { key, number, business: id = "" }) =>
  coordinator.run({ agent, id, partitionKey: key }, async (tx) => {
    const before = await tx.get<number>(`${key}/business`);
    await think();
    tx.put(`${key}/business`, (before ?? 0) + 1);
    return `${agent} ${number}`;
  });

/** An intent with a snapshot that may be as old as the window and older. */
const byHand: Perform = ({ coordinator, agent, world, space }, { key, number, choice }) => {
  const partition = world.partitionKeys.indexOf(key);
  const newest = space.view.position(partition).offset;
  const snapshot = Math.max(0, newest - (choice % 4 === 0 ? choice % 100 : choice % 5));
  const read = toKey(`${key}/note/${choice % 3}`);
  const writes = [{ key: read, value: encodeValue(number), blind: choice % 2 === 0 }];
  const points = [{ key: read, version: space.view.version(read, snapshot) }];
  return coordinator.submit({ agent, id: `${agent} by hand ${number}`, snapshot, points, writes });
};

/** Holds something outside, for long enough or not, and now and then gives up. */
const held: Perform = ({ coordinator, agent, think }, { key, number, choice, business: id }) => {
  const action = id === undefined ? {} : { id };
  const body = async (tx: Transaction): Promise<number> => {
    const before = choice % 2 === 0 ? await tx.get<number>(`${key}/held`) : undefined;
    const options = { undo: "release", lease: 20 + ((choice * 7) % 400) };
    const call = (): Promise<number> => tx.compensable<number>("reserve", { number }, options);
    const made = await (choice % 3 === 0 ? call().catch(() => -1) : call());
    await think();
    if (choice % 7 === 0) throw new Failure("aborted", "given up");
    tx.put(`${key}/held`, (before ?? 0) + 1, { blind: before === undefined });
    return made;
  };
  return coordinator.run({ agent, ...action, partitionKey: key }, body).catch((error: unknown) => {
    if (isCallError(error)) return undefined;
    throw error;
  });
};

/** Closes whatever is held, if its lease has run out: anyone may. */
const expireAny: Perform = async ({ world, space, agent }, { key, choice }) => {
  const partition = world.partitionKeys.indexOf(key);
  const holds = [...space.view.recentHolds(partition, -1)];
  const hold = holds.at(-1 - (choice % 4));
  if (hold === undefined) return undefined;
  const address = { space: world.genesis.space, partition, id: hold.id, agent, snapshot: hold.offset - 1 };
  const record = world.codec.encodeIntent({ kind: "expire", ...address, hold: hold.offset });
  await world.intents.append(partition, [{ value: record }]).catch(() => undefined);
  return undefined;
};

/** A hold by hand, whose id may have one already, or be decided. */
const holdByHand: Perform = async ({ world, space, agent }, { key, number, choice }) => {
  const partition = world.partitionKeys.indexOf(key);
  const newest = space.view.position(partition).offset;
  const others = [...space.view.recentHolds(partition, -1)];
  const id = choice % 3 === 0 ? `${agent} by hand ${number}` : (others.at(-1)?.id ?? `${agent} held ${number}`);
  const record = world.codec.encodeIntent({
    kind: "hold",
    space: world.genesis.space,
    partition,
    id,
    agent,
    snapshot: Math.max(0, newest - (choice % 9)),
    attempt: agent,
    index: choice % 2,
    name: "reserve",
    arguments: encodeValue(number),
    undo: choice % 2 === 0 ? "release" : null,
    lease: 5 + (choice % 90),
    timeout: 1,
  });
  await world.intents.append(partition, [{ value: record }]).catch(() => undefined);
  return undefined;
};

const aborted: Perform = ({ coordinator, agent, world, think }, { key, number, choice }) => {
  const stop = new AbortController();
  world.clock.schedule(() => stop.abort(), choice % 200);
  return coordinator.run({ agent, signal: stop.signal }, async (tx) => {
    await think();
    tx.put(`${key}/aborted/${number % 3}`, number);
  });
};

/** A record once more, whose outcome may be known or not. */
const again: Perform = async ({ world }, { choice }) => {
  const sent = world.sent[choice % Math.max(1, Math.min(world.sent.length, 40))];
  if (sent !== undefined) await world.intents.append(sent.partition, [{ value: sent.record }]).catch(() => undefined);
  return undefined;
};

const garbage: Perform = async ({ world, random }, { key, choice }) => {
  const partition = world.partitionKeys.indexOf(key);
  const like = world.sent[choice % Math.max(1, world.sent.length)]?.record ?? new Uint8Array(30);
  const bytes = choice % 2 === 0 ? like.slice(0, -1 - random.below(9)) : like.map(() => random.below(256));
  await world.intents.append(partition, [{ value: bytes }]).catch(() => undefined);
  return undefined;
};

const kinds: readonly (readonly [perform: Perform, weight: number])[] = [
  [increment, 8],
  [turnOn, 4],
  [slots, 6],
  [addTask, 3],
  [claimTask, 4],
  [note, 4],
  [timed, 2],
  [business, 6],
  [byHand, 3],
  [held, 5],
  [expireAny, 3],
  [holdByHand, 2],
  [aborted, 2],
  [again, 4],
  [garbage, 1],
];

const lots = kinds.flatMap(([perform, weight]) => Array.from({ length: weight }, () => perform));

/** How many business actions there are for all agents together, so that several set about the same one. */
const actions = 40;

export function drawJob(world: World, random: Random, number: number): Job {
  const perform = pick(random, lots);
  const job = { key: pick(random, world.partitionKeys), number, choice: random.below(1_000), perform };
  if (perform === held && number % 2 === 0) return { ...job, business: `held-${job.key}-${random.below(actions)}` };
  if (perform === business) return { ...job, business: `${job.key}-${random.below(actions)}` };
  if (perform === timed) return { ...job, validUntil: world.clock.now() + random.below(400) - 50 };
  return job;
}

function pickBy<T>(choice: number, from: readonly T[]): T {
  const chosen = from[choice % from.length];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
}
