import type { Verdict } from "@seriatim/protocol";
import type { SequencerObserver } from "@seriatim/sequencer";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { PartitionLook } from "./look.ts";
import type { Exported } from "./registry.ts";

/** In seconds: from a point validated in memory to a range over a large table on a busy machine. */
const decideBuckets = [1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 5e-3, 2.5e-2, 0.1, 0.5];
const countBuckets = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000];
/** In offsets: how far a snapshot lay behind its record. */
const ageBuckets = [1, 3, 10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6];

/**
 * What a sequencer exports. Everything is counted from this process's start, and by every sequencer that reads a
 * partition: of several, take the highest.
 */
export class SequencerMetrics implements SequencerObserver, Exported {
  readonly #registry: Registry;
  readonly #look: () => Promise<readonly PartitionLook[]>;
  readonly #looking: readonly Looking[];
  readonly #chain: Gauge<"partition" | "version" | "chain">;
  readonly #intents: Counter<"partition">;
  readonly #verdicts: Counter<"partition" | "outcome" | "code">;
  readonly #repeats: Counter<"partition">;
  readonly #gaps: Counter<"partition">;
  readonly #divergences: Counter;
  readonly #decide: Histogram;
  readonly #snapshotAge: Histogram;
  readonly #batch: Histogram;

  constructor(registry: Registry, look: () => Promise<readonly PartitionLook[]>) {
    this.#registry = registry;
    const registers = [registry];
    const partition = ["partition"] as const;
    this.#intents = new Counter({
      name: "seriatim_intents_total",
      help: "Intents records decided.",
      labelNames: partition,
      registers,
    });
    this.#verdicts = new Counter({
      name: "seriatim_verdicts_total",
      help: "Verdicts applied, by outcome and, where refused, by code.",
      labelNames: ["partition", "outcome", "code"],
      registers,
    });
    this.#repeats = new Counter({
      name: "seriatim_repeats_total",
      help: "Verdicts read that answered what was answered already. Harmless.",
      labelNames: partition,
      registers,
    });
    this.#gaps = new Counter({
      name: "seriatim_gaps_total",
      help: "Records of the verdicts log that follow on nothing: a predecessor is missing, or they are foreign. Must stay 0.",
      labelNames: partition,
      registers,
    });
    this.#divergences = new Counter({
      name: "seriatim_divergences_total",
      help: "Times that this sequencer found a verdict in the log that differs from its own, and stopped. Must stay 0.",
      registers,
    });
    this.#decide = new Histogram({
      name: "seriatim_decide_seconds",
      help: "Time to decide one record: the mean of each batch.",
      buckets: decideBuckets,
      registers,
    });
    this.#snapshotAge = new Histogram({
      name: "seriatim_snapshot_age_offsets",
      help: "How many offsets an intent's snapshot lay behind its own record.",
      buckets: ageBuckets,
      registers,
    });
    this.#batch = new Histogram({
      name: "seriatim_batch_verdicts",
      help: "Verdicts in one append.",
      buckets: countBuckets,
      registers,
    });
    this.#chain = new Gauge({
      name: "seriatim_chain_info",
      help: "1, with the version applied last and the chain hash there: equal in all readers of the same version.",
      labelNames: ["partition", "version", "chain"],
      registers,
    });
    this.#looking = lookingGauges(registers);
    this.#look = look;
  }

  /** All of it in Prometheus' text. */
  async text(): Promise<string> {
    const looks = await this.#look();
    this.#chain.reset();
    for (const { gauge } of this.#looking) gauge.reset();
    for (const found of looks) this.#show(found);
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #show(found: PartitionLook): void {
    const { partition, version, chain } = found;
    // What was never counted is told as 0, so that an alert on it has something to look at.
    for (const counter of [this.#gaps, this.#repeats]) counter.inc({ partition }, 0);
    this.#chain.set({ partition, version: `${partition}@${version}`, chain }, 1);
    for (const { gauge, valueOf } of this.#looking) gauge.set({ partition }, valueOf(found));
  }

  decided: SequencerObserver["decided"] = (partition, decisions, ms) => {
    if (decisions.length === 0) return;
    this.#intents.inc({ partition }, decisions.length);
    this.#decide.observe(ms / 1000 / decisions.length);
    for (const { verdict, snapshot } of decisions)
      if (snapshot !== undefined && snapshot < verdict.offset) this.#snapshotAge.observe(verdict.offset - snapshot);
  };

  sent: SequencerObserver["sent"] = (_partition, count) => this.#batch.observe(count);

  readBack: SequencerObserver["readBack"] = (partition, link, verdict) => {
    if (link === "repeat") this.#repeats.inc({ partition });
    if (link === "gap") this.#gaps.inc({ partition });
    if (link === "next" && verdict !== undefined) this.#verdicts.inc({ partition, ...labelsOf(verdict) });
  };

  /** To be called when the sequencer stopped because of a defect. */
  diverged(): void {
    this.#divergences.inc();
  }
}

function labelsOf({ outcome }: Verdict): { outcome: string; code: string } {
  return { outcome: outcome.kind, code: outcome.kind === "refused" ? outcome.code : "" };
}

interface Looking {
  readonly gauge: Gauge<"partition">;
  readonly valueOf: (found: PartitionLook) => number;
}

function lookingGauges(registers: Registry[]): Looking[] {
  const gauge = (name: string, help: string, valueOf: Looking["valueOf"]): Looking => ({
    gauge: new Gauge({ name, help, labelNames: ["partition"], registers }),
    valueOf,
  });
  return [
    gauge("seriatim_assigned", "Whether this sequencer is to lead.", ({ role }) => Number(role !== "standby")),
    gauge("seriatim_leading", "Whether this sequencer sends verdicts.", ({ leading }) => Number(leading)),
    gauge("seriatim_intents_lag", "Intents records whose verdict was not applied yet.", ({ intentsLag }) => intentsLag),
    gauge("seriatim_view_lag", "Records of the verdicts log that the view has not read.", ({ viewLag }) => viewLag),
    gauge(
      "seriatim_undecided_age_seconds",
      "For how long the oldest intents record without an applied verdict has waited; 0 when there is none.",
      ({ undecidedSeconds }) => undecidedSeconds,
    ),
  ];
}
