import { join } from "node:path";
import { BarePipe } from "./bare-pipe.ts";
import { BareSqlite } from "./bare-sqlite.ts";
import { syncTime } from "./disk.ts";
import type { Figure, Options, Part, Ratio, Report } from "./report.ts";
import { fillSpace } from "./spaces.ts";
import { mean, noteOf, shareOfSlowest, type Pace } from "./workload.ts";
import { Writers, type Outcome } from "./writers.ts";

/** How often each pair is measured in turn, so that a disk that changes its pace changes it for both. */
const rounds = 3;

interface Setting {
  readonly name: string;
  readonly processes: number;
  readonly agents: number;
}

const settings: readonly Setting[] = [
  { name: "1 process, 1 agent", processes: 1, agents: 1 },
  { name: "1 process, 8 agents", processes: 1, agents: 8 },
  { name: "8 processes, 1 agent each", processes: 8, agents: 1 },
  { name: "8 processes, 4 agents each", processes: 8, agents: 4 },
];

export const embedded: Part = {
  name: "embedded",
  about: "commits in one file, beside the same rows written by SQLite alone; synchronous=FULL",
  async run(options) {
    const bare = await BareSqlite.open(join(options.folder, "bare.db"));
    const single = await bare.run(1, options.seconds);
    const parts: Report[] = [];
    for (const setting of settings) parts.push(await measure(setting, bare, options));
    const figures: Figure[] = [
      { name: "a 4 KiB write with fdatasync", value: syncTime(options.folder), unit: "ms" },
      figure("SQLite alone, one by one", single, "batch 1"),
    ];
    return {
      part: "embedded",
      figures: [...figures, ...parts.flatMap((part) => part.figures)],
      ratios: parts.flatMap((part) => part.ratios),
    };
  },
};

async function measure(setting: Setting, bare: BareSqlite, { seconds, folder, say }: Options): Promise<Report> {
  const { name, processes, agents } = setting;
  say(name);
  const file = join(folder, `${processes}-${agents}.db`);
  await fillSpace(file);
  const writers = await Writers.start(file, processes, agents);
  try {
    const outcomes: Outcome[] = [];
    const same: Pace[] = [];
    const tens: Pace[] = [];
    const piped: Pace[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const outcome = await writers.run(seconds);
      outcomes.push(outcome);
      same.push(await bare.run(Math.max(1, Math.round(outcome.batch)), seconds / 2, file));
      tens.push(await bare.run(10, seconds / 2, file));
    }
    if (processes > 1) piped.push(await pipe(setting, bare, join(folder, "pipe"), file, seconds));
    return report(setting, outcomes, average(same), average(tens), piped);
  } finally {
    await writers.end();
  }
}

/** Once, after a while of the same that is not measured. */
async function pipe(
  { processes, agents }: Setting,
  bare: BareSqlite,
  path: string,
  like: string,
  seconds: number,
): Promise<Pace> {
  const rows = await bare.rows(1, like);
  const senders = await BarePipe.start(path, processes, agents);
  try {
    await senders.run(rows, seconds);
    return await senders.run(rows, seconds);
  } finally {
    await senders.end();
    rows.close();
  }
}

function report(
  { name, processes }: Setting,
  outcomes: readonly Outcome[],
  same: Pace,
  tens: Pace,
  piped: readonly Pace[],
): Report {
  const ours = average(outcomes);
  const batch = mean(outcomes.map((outcome) => outcome.batch));
  const tallies = joined(outcomes);
  const than = "SQLite alone in batches";
  const ratios: Ratio[] = [
    { name: `${name} / ${than} as large`, value: ours.perSecond / same.perSecond, target: { least: 0.5 } },
    { name: `${name} / ${than} as large, by processor time`, value: same.processor / ours.processor },
  ];
  if (processes > 1)
    ratios.push(
      { name: `${name} / ${than} of 10`, value: ours.perSecond / tens.perSecond, target: { least: 0.5 } },
      { name: `${name}: slowest / mean`, value: shareOfSlowest(tallies), target: { least: 0.8 } },
    );
  const figures = [
    figure(name, ours, `batch ${batch.toFixed(1)}, ${noteOf(tallies)}`),
    figure("  SQLite alone, in batches as large", same),
    figure("  SQLite alone, in batches of 10", tens),
    ...piped.map((pace) => figure("  as many processes that only send, and the rows", pace)),
  ];
  return { part: name, figures, ratios };
}

function figure(name: string, { perSecond, processor }: Pace, note = ""): Figure {
  const time = `${processor.toFixed(0)} µs of processor each`;
  return { name, value: perSecond, unit: "commits/s", note: note === "" ? time : `${time}, ${note}` };
}

function average(paces: readonly Pace[]): Pace {
  return { perSecond: mean(paces.map((pace) => pace.perSecond)), processor: mean(paces.map((pace) => pace.processor)) };
}

/** The same writers over all rounds. */
function joined(outcomes: readonly Outcome[]): Outcome["tallies"] {
  const first = outcomes[0]?.tallies ?? [];
  return first.map((_, writer) => {
    const tallies = outcomes.flatMap((outcome) => outcome.tallies[writer] ?? []);
    return {
      commits: tallies.reduce((total, { commits }) => total + commits, 0),
      refusals: tallies.reduce((total, { refusals }) => total + refusals, 0),
      latencies: tallies.flatMap(({ latencies }) => latencies).toSorted((a, b) => a - b),
    };
  });
}
