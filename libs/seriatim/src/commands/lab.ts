import { Command } from "commander";
import {
  detourRules,
  guards,
  runLab,
  tryDetour,
  type DetourResult,
  type LabOptions,
  type LabResult,
} from "@seriatim/workloads";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { count } from "../cli/flags.ts";
import { print, printJson, printTable } from "../cli/output.ts";
import { detourLines, isAsExpected, labRows } from "../workloads/lab-report.ts";
import { thinkTime } from "../cli/contest-flags.ts";

interface Flags {
  readonly runs: string;
  readonly think: string;
  readonly at: string;
  readonly zone: string;
  readonly json?: true;
}

const mostRuns = 6;

const exitCodesHelp = `
Exit codes:
  0    each guard did what it can: those that hold held, and those that do not did not
  1    one did not, or the checker does not agree
  64   bad arguments; nothing was done`;

/** `seriatim lab`: the guards against one credit too many, side by side, in virtual time. */
export function labCommand(): Command {
  return new Command("lab")
    .description(
      "two goodwill credits a month are allowed, one is given, and several runs want more: every guard, side by side",
    )
    .option("--runs <count>", `how many runs start at once, up to ${mostRuns}`, "2")
    .option("--think <ms,...>", "how long each of them thinks; the last one counts for the rest", "30")
    .option("--at <time>", "when they start", "2026-07-15T12:00:00Z")
    .option("--zone <name>", "the store's time zone, by which a month begins", "Europe/Berlin")
    .option("--json", "print one JSON object for each guard, and one for each rule")
    .addHelpText("after", exitCodesHelp)
    .action(lab);
}

async function lab(flags: Flags): Promise<void> {
  const options = optionsOf(flags);
  const results: LabResult[] = [];
  for (const guard of guards) results.push(await runLab(guard, options));
  const detours: DetourResult[] = [];
  for (const rule of detourRules) detours.push(await tryDetour(rule, options.at, options.zone));
  if (flags.json === true) for (const each of [...results, ...detours]) printJson(each);
  else {
    print(
      `One credit stands, two are allowed a month, and ${options.think.length} runs start at once; each thinks for ${options.think.join(", ")} ms.`,
    );
    print("The clock is a virtual one: every count is exact, and the same every time.");
    print("");
    printTable(labRows(results));
    print("");
    for (const line of detourLines(detours)) print(line);
  }
  process.exitCode = results.every(isAsExpected) ? exitCodes.done : exitCodes.no;
}

function optionsOf(flags: Flags): LabOptions {
  const faults = new Faults();
  const runs = count(flags.runs, "--runs", mostRuns, faults);
  const given = flags.think.split(",").map((text) => thinkTime(text.trim(), faults));
  const think = Array.from({ length: Math.min(runs, mostRuns) }, (_, index) => given[index] ?? given.at(-1) ?? 0);
  const at = Date.parse(flags.at);
  if (Number.isNaN(at)) faults.add(`--at is ${JSON.stringify(flags.at)}; give a time, such as 2026-07-15T12:00:00Z`);
  if (!isZone(flags.zone))
    faults.add(`--zone is ${JSON.stringify(flags.zone)}; give a time zone, such as Europe/Berlin`);
  faults.check();
  return { think, at, zone: flags.zone };
}

function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
