import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { brokerPart } from "../log/broker-part.ts";
import { initKafka } from "../log/kafka-inside.ts";
import type { Options, Report } from "../log/report.ts";
import { keyOf, quantile, valueOf } from "../log/workload.ts";
import { connect, isFailure, type Coordinator } from "seriatim";
import { SequencerProcess } from "./sequencer-process.ts";

/** Of so many ms the sequencer is stopped for the half. */
const cycle = 200;
/** Between two looks at how many are due, in ms. */
const tick = 10;
const mebibyte = 2 ** 20;
/** So small that it is full at once: what a sequencer remembers grows until then, and is no part of what is asked here. */
const window = 2 ** 12;

export const overload = brokerPart({
  name: "overload",
  about: "twice as much is submitted as a sequencer decides that is stopped for half of the time",
  measure,
});

async function measure(brokers: readonly string[], options: Options): Promise<Report> {
  const { folder, seconds, say } = options;
  const space = `bench-${randomUUID()}`;
  await initKafka({ brokers, space, partitions: 1, replication: 1, limits: { window } });
  const sequencer = new SequencerProcess({ brokers, space, view: join(folder, "overload-sequencer.db") });
  const coordinator = await connect({ brokers, space, view: join(folder, "overload.db"), beginTimeout: 60_000 });
  const throttle = new Throttle(sequencer);
  try {
    const decided = await capacity(coordinator, Math.min(5, seconds));
    say(`${Math.round(decided)} a second are decided; twice as many are submitted`);
    const load = new Load(coordinator, sequencer);
    await load.run(2 * decided, seconds);
    throttle.stop();
    const waiting = performance.now();
    await load.drained();
    const { outcome } = await coordinator.run({ agent: "after" }, (tx) => tx.put(keyOf(0), valueOf(0)));
    const recovered = performance.now() - waiting;
    return reportOf(load, decided, outcome === "committed" ? recovered : Number.NaN, seconds);
  } finally {
    throttle.stop();
    await coordinator.close();
    await sequencer.end();
  }
}

function reportOf(load: Load, decided: number, recovered: number, seconds: number): Report {
  const { committed, overloaded, others, submitted } = load;
  const [client, sequencer] = [new Memory(load.memory.client), new Memory(load.memory.sequencer)];
  return {
    part: "overload",
    figures: [
      { name: "decided, at most so many under way", value: decided, unit: "intents/s" },
      { name: "submitted", value: submitted / seconds, unit: "intents/s", note: `for ${seconds} s; window ${window}` },
      { name: "committed", value: committed / seconds, unit: "intents/s" },
      { name: "failed as overloaded, before the log", value: overloaded / seconds, unit: "intents/s" },
      { name: "ended otherwise", value: others.size, unit: "kinds", note: [...others].join(", ") },
      { name: "memory of the client, last third", value: client.third(2), unit: "MiB", note: client.before },
      { name: "memory of the sequencer, last third", value: sequencer.third(2), unit: "MiB", note: sequencer.before },
      { name: "all decided, and the next committed, after", value: recovered, unit: "ms" },
    ],
    ratios: [
      { name: "memory of the client, last third / second", value: client.growth, target: { most: 1.1 } },
      { name: "memory of the sequencer, last third / second", value: sequencer.growth, target: { most: 1.1 } },
    ],
  };
}

/** Resident memory of one process, a sample a second. */
class Memory {
  readonly #samples: readonly number[];

  constructor(samples: readonly number[]) {
    this.#samples = samples;
  }

  /** The median of a third of the time, in MiB. */
  third(index: 0 | 1 | 2): number {
    const length = this.#samples.length / 3;
    const samples = this.#samples.slice(Math.floor(index * length), Math.max(1, Math.floor((index + 1) * length)));
    const ascending = samples.toSorted((first, second) => first - second);
    return Math.round(quantile(ascending, 0.5) / mebibyte);
  }

  get before(): string {
    return `${this.third(0)} in the first, ${this.third(1)} in the second`;
  }

  get growth(): number {
    return this.third(2) / this.third(1);
  }
}

/** Stops a sequencer for half of the time. */
class Throttle {
  readonly #sequencer: SequencerProcess;
  readonly #timer: NodeJS.Timeout;
  #isStopped = false;

  constructor(sequencer: SequencerProcess) {
    this.#sequencer = sequencer;
    this.#timer = setInterval(() => this.#turn(), cycle / 2);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#sequencer.signal("SIGCONT");
  }

  #turn(): void {
    this.#isStopped = !this.#isStopped;
    this.#sequencer.signal(this.#isStopped ? "SIGSTOP" : "SIGCONT");
  }
}

let written = 0;

/** As little as there can be. */
async function commitOne(coordinator: Coordinator): Promise<"committed" | "refused"> {
  const key = keyOf((written += 1) % 10_000);
  const { outcome } = await coordinator.run({ agent: "load", isolation: "none" }, (tx) =>
    tx.put(key, valueOf(written)),
  );
  return outcome;
}

/** How many a second commit, with as many under way as may be. */
async function capacity(coordinator: Coordinator, seconds: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let committed = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) if ((await commitOne(coordinator)) === "committed") committed += 1;
  };
  await Promise.all(Array.from({ length: 500 }, one));
  return committed / seconds;
}

/** Agents that wait for nobody: each comes when it is due. */
class Load {
  readonly #coordinator: Coordinator;
  readonly #sequencer: SequencerProcess;
  readonly #under = new Set<Promise<void>>();
  /** In bytes, once a second. */
  readonly memory: { readonly client: number[]; readonly sequencer: number[] } = { client: [], sequencer: [] };
  readonly others = new Set<string>();
  submitted = 0;
  committed = 0;
  overloaded = 0;

  constructor(coordinator: Coordinator, sequencer: SequencerProcess) {
    this.#coordinator = coordinator;
    this.#sequencer = sequencer;
  }

  async run(perSecond: number, seconds: number): Promise<void> {
    const begun = performance.now();
    let looked = 0;
    for (let now = begun; now - begun < seconds * 1000; now = performance.now()) {
      for (const due = ((now - begun) * perSecond) / 1000; this.submitted < due;) this.#submit();
      if (now - begun >= looked * 1000) {
        this.memory.client.push(process.memoryUsage.rss());
        this.memory.sequencer.push(this.#sequencer.memory);
        looked += 1;
      }
      await pause(tick);
    }
  }

  async drained(): Promise<void> {
    await Promise.all(this.#under);
  }

  #submit(): void {
    this.submitted += 1;
    const done = this.#one().finally(() => this.#under.delete(done));
    this.#under.add(done);
  }

  async #one(): Promise<void> {
    try {
      const outcome = await commitOne(this.#coordinator);
      if (outcome === "committed") this.committed += 1;
      else this.others.add(outcome);
    } catch (error) {
      if (isFailure(error, "overloaded")) this.overloaded += 1;
      else this.others.add(isFailure(error) ? error.code : String(error));
    }
  }
}
