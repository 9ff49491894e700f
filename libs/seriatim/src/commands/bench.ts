import { Command } from "commander";
import { isolations } from "@seriatim/protocol";
import { postgresLevels, sqliteModes, type Settings } from "@seriatim/workloads";
import {
  addContestFlags,
  contestExitCodes,
  contestPlace,
  sizesOf,
  thinkTime,
  type ContestFlags,
} from "../cli/contest-flags.ts";
import { Faults } from "../cli/faults.ts";
import { print, printJson } from "../cli/output.ts";
import type { Entrant } from "../workloads/arena.ts";
import { counterLines, rowJson } from "../workloads/contest-report.ts";
import type { Sizes } from "../workloads/contest.ts";
import { runSeries } from "../workloads/series.ts";

interface Flags extends ContestFlags {
  readonly keys: string;
  readonly think: string;
  readonly peers?: true;
}

/** `seriatim bench`: agents add to shared counters, which must add up. */
export function benchCommand(): Command {
  const command = new Command("bench")
    .description(
      "let agents add to shared counters at each level, and count what is lost and what it costs to lose nothing",
    )
    .option("--keys <count>", "how many counters they share", "4")
    .option("--think <ms>", "how long an agent thinks between reading and writing", "2")
    .option("--peers", "the same by SQLite alone and by PostgreSQL, where it is installed");
  return addContestFlags(command).addHelpText("after", contestExitCodes).action(bench);
}

async function bench(flags: Flags): Promise<void> {
  const faults = new Faults();
  const sizes = sizesOf(flags, faults);
  const think = thinkTime(flags.think, faults);
  const place = contestPlace(flags, faults);
  if (flags.peers === true && flags.brokers !== undefined)
    faults.add("--peers commit to a local disk: they go with files, not with --brokers");
  faults.check();
  const entrants = [...ours(flags, think), ...(flags.peers === true ? peers(flags, think) : [])];
  const rows = await runSeries({ entrants, sizes, place, budgetInterval: undefined, within: flags.folder });
  if (rows === undefined) return;
  if (flags.json === true) for (const row of rows) printJson(rowJson(row, sizes));
  else for (const line of [...opening(sizes, think, flags), ...counterLines(rows, sizes)]) print(line);
}

/** All levels, and at the strictest what `tx.signal` and `tx.memo` save. */
function ours({ isolation }: Flags, think: number): Entrant[] {
  const levels = isolation === undefined ? [...isolations].toReversed() : [isolation];
  const settings = levels.map((level): Settings => ({ isolation: level, think, signal: false, memo: false }));
  const last = settings.at(-1);
  if (last !== undefined && last.isolation !== "none")
    settings.push({ ...last, signal: true }, { ...last, memo: true }, { ...last, signal: true, memo: true });
  return settings.map((each) => ({ system: "seriatim", settings: each }));
}

function peers({ durability: synchronous }: Flags, think: number): Entrant[] {
  return [
    ...sqliteModes.map((mode): Entrant => ({ system: "sqlite", mode, synchronous, think })),
    ...postgresLevels.map((level): Entrant => ({ system: "postgres", level, synchronous, think })),
  ];
}

function opening({ agents, transactions, keys, seed, processes }: Sizes, think: number, flags: Flags): string[] {
  const where = processes ? "each in a process of its own" : "all in one process";
  const log =
    flags.brokers === undefined ? `in a file, durability ${flags.durability}` : `on Kafka at ${flags.brokers}`;
  return [
    `${agents} agents, ${where}, add to ${keys} counters, ${transactions} times each: read, think for ${think} ms, write.`,
    `${log}; seed ${seed}. A key can commit once per think time: that is the bound.`,
    "",
  ];
}
