import { Command } from "commander";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { count, upTo } from "../cli/flags.ts";
import { LiveLine } from "../cli/live-line.ts";
import { whole } from "../cli/numbers.ts";
import { performReported } from "../cli/reported-run.ts";
import { addRunFlags, runOptionsOf, type RunFlags } from "../cli/run-flags.ts";
import { runDemo, type DemoResult } from "../demo/demo.ts";
import type { DemoOptions } from "../demo/options.ts";
import { progressText } from "../demo/progress-text.ts";
import { closingLines, openingLines } from "../demo/report.ts";
import { holds, summarise } from "../demo/summary.ts";

interface Flags extends RunFlags {
  readonly runs: string;
  readonly think: string;
}

const most = { runs: 100_000, think: 60_000 } as const;

const exitCodesHelp = `
Exit codes:
  0    the rules were kept, and nothing that was acknowledged was lost
  1    a rule was broken, or something was lost
  64   bad arguments; nothing was done
  70   a file, broker or process failed
  130  ended by Ctrl-C (143: by SIGTERM, or because the terminal was closed)`;

/** `seriatim demo`: agents in processes of their own compete, and what was promised is counted at the end. */
export function demoCommand(): Command {
  const command = new Command("demo")
    .description("let agents, each a process of its own, compete for credits and seats, and count what broke")
    .option("--runs <count>", "how many runs, all agents together", "200")
    .option("--think <ms>", "how long an agent thinks between reading and writing", "20");
  return addRunFlags(command, { seed: "who wants what; the same for the same seed" })
    .addHelpText("after", exitCodesHelp)
    .action((flags: Flags) => perform(flags));
}

async function perform(flags: Flags): Promise<void> {
  const options = optionsOf(flags);
  await performReported({
    json: flags.json === true,
    opening: openingLines(options),
    cutShort: "the demo was cut short; its processes end with it",
    run: (signal) => runWatched(options, signal),
    summarise,
    closing: closingLines,
    exitCode: (summary) => (holds(summary) ? exitCodes.done : exitCodes.no),
  });
}

async function runWatched(options: DemoOptions, signal: AbortSignal): Promise<DemoResult> {
  let line: LiveLine | undefined;
  try {
    return await runDemo(options, {
      signal,
      onBegin: (tally) => (line = new LiveLine((ms) => progressText(tally, options.runs, ms))),
    });
  } finally {
    line?.end();
  }
}

/** @throws BadArguments with all that is wrong. */
function optionsOf(flags: Flags): DemoOptions {
  const faults = new Faults();
  const options = {
    ...runOptionsOf(flags, faults),
    runs: count(flags.runs, "--runs", most.runs, faults),
    think: upTo(whole(flags.think, "--think", 0, faults) ?? 0, "--think", most.think, faults),
  };
  faults.check();
  return options;
}
