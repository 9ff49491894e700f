import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { brokerPart } from "../log/broker-part.ts";
import { initKafka } from "../log/kafka-inside.ts";
import type { Figure, Options, Report } from "../log/report.ts";
import { quantile } from "../log/workload.ts";
import { Pulse } from "./pulse.ts";
import { SequencerProcess, type SequencerPlace } from "./sequencer-process.ts";

const standbys = ["all", "none"] as const;
type Standby = (typeof standbys)[number];
const partitions = 2;
const turns = 5;

export const move = brokerPart({
  name: "move",
  about: "a second sequencer comes and goes: the longest time in which a partition gave no verdict",
  measure: async (brokers, options) => reportOn("move", brokers, options, moves),
});

export const failover = brokerPart({
  name: "failover",
  about: "one of two sequencers is killed with -9: the longest time in which a partition gave no verdict",
  measure: async (brokers, options) => reportOn("failover", brokers, options, kills),
});

type Measure = (bench: Bench, standby: Standby) => Promise<Figure[]>;

async function reportOn(part: string, brokers: readonly string[], options: Options, measure: Measure): Promise<Report> {
  const figures: Figure[] = [];
  for (const standby of standbys) {
    options.say(`--standby ${standby}`);
    const bench = await Bench.begin(brokers, options, standby);
    try {
      figures.push(...(await measure(bench, standby)));
    } finally {
      await bench.end();
    }
  }
  return { part, figures, ratios: [] };
}

/** A space with a steady stream of intents, and a sequencer. */
class Bench {
  readonly pulse: Pulse;
  readonly #start: () => SequencerProcess;
  readonly #started: SequencerProcess[] = [];
  readonly #quiet: number;

  private constructor(start: () => SequencerProcess, first: SequencerProcess, pulse: Pulse, quiet: number) {
    this.#start = start;
    this.#started.push(first);
    this.pulse = pulse;
    this.#quiet = quiet;
  }

  static async begin(brokers: readonly string[], { folder, seconds }: Options, standby: Standby): Promise<Bench> {
    const space = `bench-${randomUUID()}`;
    await initKafka({ brokers, space, partitions, replication: 1 });
    let count = 0;
    const start = (): SequencerProcess => {
      const place: SequencerPlace = { brokers, space, view: join(folder, `${space}-${(count += 1)}.db`) };
      return new SequencerProcess(place, "--standby", standby);
    };
    const first = start();
    const pulse = await Pulse.start({ brokers, space, view: join(folder, `${space}.db`) });
    return new Bench(start, first, pulse, seconds * 1_000);
  }

  /** The longest gap while `change` is made, and until all decide again. */
  async gapOf(change: () => Promise<void>): Promise<number> {
    await this.pulse.untilAllDecide();
    this.pulse.begin();
    await change();
    await this.pulse.untilAllDecide();
    // What is moved may be late: a moment more, so that nothing is missed.
    await pause(this.#quiet);
    return this.pulse.gap;
  }

  /** Another one, that shares the partitions with the one before. */
  async startAnother(): Promise<SequencerProcess> {
    const another = this.#start();
    this.#started.push(another);
    await another.untilAssigned(1);
    return another;
  }

  async end(): Promise<void> {
    await this.pulse.stop();
    await Promise.all(this.#started.map((each) => each.end("SIGKILL")));
  }
}

async function moves(bench: Bench, standby: Standby): Promise<Figure[]> {
  const calm = await bench.gapOf(() => Promise.resolve());
  const [coming, going]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    let another: SequencerProcess | undefined;
    coming.push(await bench.gapOf(async () => void (another = await bench.startAnother())));
    going.push(await bench.gapOf(async () => another?.end("SIGTERM")));
  }
  return [
    figure(`no verdict, nothing moves, standby ${standby}`, [calm]),
    figure(`no verdict, one comes, standby ${standby}`, coming),
    figure(`no verdict, one is stopped, standby ${standby}`, going),
  ];
}

async function kills(bench: Bench, standby: Standby): Promise<Figure[]> {
  const gaps: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const another = await bench.startAnother();
    gaps.push(await bench.gapOf(() => another.end("SIGKILL")));
  }
  return [figure(`no verdict, one is killed, standby ${standby}`, gaps)];
}

function figure(name: string, gaps: readonly number[]): Figure {
  const ascending = gaps.toSorted((a, b) => a - b);
  const note =
    gaps.length === 1 ? "" : `median of ${gaps.length}; from ${round(ascending[0])} to ${round(ascending.at(-1))}`;
  return { name, value: quantile(ascending, 0.5), unit: "ms", note };
}

function round(ms: number | undefined): string {
  return String(Math.round(ms ?? 0));
}
