import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Random } from "@seriatim/log";
import { initKafka } from "../../../libs/seriatim/src/kafka-init.ts";
import { KafkaSpace } from "../../../libs/seriatim/src/kafka-space.ts";
import { startBroker, type Broker } from "../../../tools/kafka/broker.mjs";
import type { Kind } from "../../kill/member.ts";
import type { Place } from "../../kill/place.ts";
import { startProxied } from "../../support/proxied-broker.ts";
import type { FaultyProxy } from "../../support/proxy.ts";
import type { Fault } from "./deck.ts";
import { Receiver } from "./receiver.ts";

/** A space for a team on a broker of its own, and the world outside that its effects reach. */
export interface FaultPlace extends Place {
  readonly brokers: readonly string[];
  readonly space: string;
  /** Undefined where a broker cannot be made to advertise it. */
  readonly proxy: FaultyProxy | undefined;
  readonly receiver: Receiver;
  /** The file that a member folds into; others may share it. */
  fileOf(name: string): string;
  /** What cannot be done here. */
  readonly impossible: ReadonlySet<Fault>;
}

interface Brokers {
  readonly broker: Broker | undefined;
  readonly brokers: readonly string[];
  readonly proxy: FaultyProxy | undefined;
  end(): Promise<void>;
}

const path = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const main = path("../../../libs/seriatim/dist/main.js");
const clock = pathToFileURL(path("skewed-clock.mjs"));

const crew: readonly (readonly [Kind, readonly string[]])[] = [
  ["sequencer", ["sam", "seth", "sue"]],
  ["worker", ["wim", "wyn"]],
  ["agent", ["ada", "ben", "cy", "di", "eve", "flo", "gus", "hal"]],
  ["viewer", ["vera"]],
];
const members = crew.flatMap(([kind, names]) => names.map((name) => ({ name, kind })));
/** Who folds into another's view, as processes of one machine may. */
const shared: Readonly<Record<string, string>> = { ben: "ada", flo: "eve", sue: "seth" };
const ledgers = 9;
const partitions = 4;
/** So short that sends are given up, and cancelled, while they may still be under way. */
const impatient = { appendTimeout: 3_000, answerTimeout: 3_000, verdictTimeout: 5_000 };
/** In ms. */
const callTimeout = 2_000;
/** In seconds; a call of a worker that was killed is taken over after both. */
const grace = 1;
/** How wrong a clock may be, in ms. */
const mostSkew = 3_600_000;

/** @param given addresses of a broker that is there; one is started unless given. */
export async function faultPlace(folder: string, seed: number, given?: readonly string[]): Promise<FaultPlace> {
  const reached = given === undefined ? await ownBroker(seed) : theirs(given);
  const { broker, brokers, proxy } = reached;
  const receiver = await Receiver.listen(seed);
  const space = `faults-${randomUUID()}`;
  await initKafka({ brokers, space, partitions, replication: 1 });
  const http = join(folder, "http.json");
  writeFileSync(http, JSON.stringify(handlersAt(receiver.url)));
  const work = JSON.stringify({ ledgers, http });
  const fileOf = (name: string): string => join(folder, `${shared[name] ?? name}.db`);
  /** Every other member reaches the broker through the network that fails. */
  const brokersOf = (name: string): readonly string[] =>
    proxy !== undefined && indexOf(name) % 2 === 1 ? [proxy.address] : brokers;

  const argumentsOf = (name: string, kind: Kind, incarnation: number, pending: number): readonly string[] => {
    const flags = ["--json", "--brokers", brokersOf(name).join(","), "--space", space];
    if (kind === "sequencer") return [main, kind, ...flags, "--view", fileOf(name)];
    if (kind === "worker")
      return [main, "effects-worker", ...flags, "--effects", fileOf(name), "--http", http, "--grace", `${grace}`];
    const patience = indexOf(name) % 4 === 0 ? impatient : {};
    const where = JSON.stringify({ brokers: brokersOf(name), space, view: fileOf(name), ...patience });
    return kind === "agent"
      ? [path("../../kill/agent.mjs"), name, `${incarnation}`, `${pending}`, where, work]
      : [path("../../kill/viewer.mjs"), name, where, work];
  };
  return {
    log: "kafka",
    members,
    command: (name, kind, incarnation, pending) => [
      `--import=${clock.href}?by=${skewOf(name, incarnation, seed)}`,
      ...argumentsOf(name, kind, incarnation, pending),
    ],
    broker,
    brokers,
    space,
    proxy,
    receiver,
    fileOf,
    impossible: impossibleWith(reached),
    open: () => KafkaSpace.open({ brokers, space, view: join(folder, "judge.db") }),
    views: [...new Set(members.filter(({ kind }) => kind !== "worker").map(({ name }) => fileOf(name)))],
    end: async () => {
      await receiver.close();
      await reached.end();
    },
  };
}

/** A receiver that is told to release what it was never asked for does nothing when it is asked after all. */
function handlersAt(url: string): object {
  const patient = { timeout: callTimeout, attempts: 1_000, longestBackoff: 1_000 };
  return {
    act: { url: `${url}act`, ...patient },
    reserve: { url: `${url}reserve`, timeout: callTimeout },
    release: { url: `${url}release`, ...patient, voids: true },
  };
}

/** From the jars where they can be had: in a container it advertises no proxy, and is not paused. */
async function ownBroker(seed: number): Promise<Brokers> {
  const proxied = await startProxied(seed).catch(() => undefined);
  if (proxied === undefined) {
    const alone = await startBroker();
    return { broker: alone, brokers: alone.brokers, proxy: undefined, end: () => alone.stop() };
  }
  const { broker, proxy } = proxied;
  const end = async (): Promise<void> => {
    await proxy.close();
    await broker.stop();
  };
  return { broker, brokers: broker.brokers, proxy, end };
}

function theirs(brokers: readonly string[]): Brokers {
  return { broker: undefined, brokers, proxy: undefined, end: () => Promise.resolve() };
}

function impossibleWith({ broker, proxy }: Brokers): ReadonlySet<Fault> {
  return new Set<Fault>([
    ...(broker === undefined ? (["kill broker", "restart broker"] as const) : []),
    ...(broker?.pid === undefined ? (["pause broker"] as const) : []),
    ...(proxy === undefined ? (["cut network", "refuse network", "slow network", "lossy network"] as const) : []),
  ]);
}

function indexOf(name: string): number {
  return members.findIndex((member) => member.name === name);
}

/** In ms, another at each start. */
function skewOf(name: string, incarnation: number, seed: number): number {
  return new Random(seed + indexOf(name) * 1_000 + incarnation).below(2 * mostSkew) - mostSkew;
}
