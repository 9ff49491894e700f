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
import { positive } from "../cli/numbers.ts";
import { print, printJson } from "../cli/output.ts";
import type { Entrant } from "../workloads/arena.ts";
import { decisionLines, rowJson } from "../workloads/contest-report.ts";
import { runSeries } from "../workloads/series.ts";

interface Flags extends ContestFlags {
  readonly think: string;
  readonly interval: string;
}

/** `seriatim decisions`: agents decide by a budget that somebody changes while they think. */
export function decisionsCommand(): Command {
  const command = new Command("decisions")
    .description("let agents decide by a budget that changes while they think, and count the decisions that are stale")
    .option("--think <ms>", "how long an agent thinks between reading and writing", "2")
    .option("--interval <ms>", "how often the budget changes", "11");
  return addContestFlags(command).addHelpText("after", contestExitCodes).action(decisions);
}

async function decisions(flags: Flags): Promise<void> {
  const faults = new Faults();
  const sizes = sizesOf(flags, faults);
  const think = thinkTime(flags.think, faults);
  const interval = positive(flags.interval, "--interval", faults) ?? 1;
  const place = contestPlace(flags, faults);
  faults.check();
  const levels = flags.isolation === undefined ? [...isolations].toReversed() : [flags.isolation];
  const entrants = levels.flatMap((isolation): Entrant[] => {
    const settings = { isolation, think, signal: false, memo: false };
    const saving =
      isolation === "serializable"
        ? [
            { ...settings, signal: true },
            { ...settings, memo: true },
          ]
        : [];
    return [settings, ...saving].map((each) => ({ system: "seriatim", settings: each }));
  });
  const rows = await runSeries({ entrants, sizes, place, budgetInterval: interval, within: flags.folder });
  if (rows === undefined) return;
  if (flags.json === true) for (const row of rows) printJson(rowJson(row, sizes));
  else
    for (const line of [
      `${sizes.agents} agents take ${sizes.transactions} decisions each: read the budget, think for ${think} ms, write a key of their own.`,
      `The budget changes every ${interval} ms. Seed ${sizes.seed}.`,
      "",
      ...decisionLines(rows),
    ])
      print(line);
}
