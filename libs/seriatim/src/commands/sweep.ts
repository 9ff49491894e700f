import { existsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Command } from "commander";
import { isolations, type Isolation } from "@seriatim/protocol";
import { bound } from "@seriatim/workloads";
import {
  addContestFlags,
  contestExitCodes,
  contestPlace,
  sizesOf,
  thinkTime,
  type ContestFlags,
} from "../cli/contest-flags.ts";
import { Faults } from "../cli/faults.ts";
import { print, printJson, say } from "../cli/output.ts";
import type { Entrant } from "../workloads/arena.ts";
import { rowJson, sweepLines, thinkOf, type Row } from "../workloads/contest-report.ts";
import type { Sizes } from "../workloads/contest.ts";
import { runSeries } from "../workloads/series.ts";

interface Flags extends ContestFlags {
  readonly keys: string;
  readonly think: string;
  readonly signal?: true;
  readonly memo?: true;
  readonly plot?: string;
}

/** `seriatim sweep`: what a longer window between read and commit costs. */
export function sweepCommand(): Command {
  const command = new Command("sweep")
    .description("the same as bench at several think times: aborts and commits a second against the window")
    .option("--keys <count>", "how many counters they share", "4")
    .option("--think <ms,...>", "think times", "0,2,10,50")
    .option("--signal", "stop thinking as soon as the answer cannot commit (tx.signal)")
    .option("--memo", "keep what was thought over attempts (tx.memo)")
    .option("--plot <file.svg>", "draw commits a second and abort rate against the think time");
  return addContestFlags(command).addHelpText("after", contestExitCodes).action(sweep);
}

async function sweep(flags: Flags): Promise<void> {
  const faults = new Faults();
  const sizes = sizesOf(flags, faults);
  const thinkTimes = flags.think.split(",").map((text) => thinkTime(text.trim(), faults));
  const place = contestPlace(flags, faults);
  const { plot } = flags;
  if (plot !== undefined && !(plot.endsWith(".svg") && existsSync(dirname(plot))))
    faults.add(`--plot is ${JSON.stringify(plot)}; name a file that ends with .svg, in a folder that is there`);
  faults.check();
  const { isolation = isolations[0] } = flags;
  const entrants = thinkTimes.map((think): Entrant => {
    const settings = { isolation, think, signal: flags.signal === true, memo: flags.memo === true };
    return { system: "seriatim", settings };
  });
  const rows = await runSeries({ entrants, sizes, place, budgetInterval: undefined, within: flags.folder });
  if (rows === undefined) return;
  if (flags.json === true) for (const row of rows) printJson(rowJson(row, sizes));
  else for (const line of sweepLines(rows, sizes)) print(line);
  if (plot !== undefined) await draw(plot, rows, sizes, isolation);
}

/** The drawing library is loaded for who wants a drawing. */
async function draw(file: string, rows: readonly Row[], sizes: Sizes, isolation: Isolation): Promise<void> {
  const { sweepPlot } = await import("@seriatim/workloads/plot");
  const points = rows
    .filter((row) => "totals" in row)
    .map(({ entrant, totals: { goodput, abortRate, wasted, thought } }) => {
      const think = thinkOf(entrant);
      const possible = think === 0 ? null : bound(sizes.keys, sizes.agents, think);
      return { think, goodput, bound: possible, abortRate, wasted: wasted / Math.max(1, thought) };
    });
  writeFileSync(file, sweepPlot(points, `${sizes.agents} agents, ${sizes.keys} counters, ${isolation}`));
  say(`drawn: ${file}`);
}
