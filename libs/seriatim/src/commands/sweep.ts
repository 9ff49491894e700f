import { Command } from "commander";
import { isolations } from "@seriatim/protocol";
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
import { rowJson, sweepLines } from "../workloads/contest-report.ts";
import { runSeries } from "../workloads/series.ts";

interface Flags extends ContestFlags {
  readonly keys: string;
  readonly think: string;
  readonly signal?: true;
  readonly memo?: true;
}

/** `seriatim sweep`: what a longer window between read and commit costs. */
export function sweepCommand(): Command {
  const command = new Command("sweep")
    .description("the same as bench at several think times: aborts and commits a second against the window")
    .option("--keys <count>", "how many counters they share", "4")
    .option("--think <ms,...>", "think times", "0,2,10,50")
    .option("--signal", "stop thinking as soon as the answer cannot commit (tx.signal)")
    .option("--memo", "keep what was thought over attempts (tx.memo)");
  return addContestFlags(command).addHelpText("after", contestExitCodes).action(sweep);
}

async function sweep(flags: Flags): Promise<void> {
  const faults = new Faults();
  const sizes = sizesOf(flags, faults);
  const thinkTimes = flags.think.split(",").map((text) => thinkTime(text.trim(), faults));
  const place = contestPlace(flags, faults);
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
}
