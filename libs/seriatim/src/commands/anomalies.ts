import { Command, Option } from "commander";
import { isolations, type Isolation } from "@seriatim/protocol";
import { scenarios, type Scenario } from "@seriatim/workloads";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { LiveLine } from "../cli/live-line.ts";
import { print, printJson } from "../cli/output.ts";
import { addWorkloadPlaceFlags, workloadPlaceOf, type WorkloadPlaceFlags } from "../cli/workload-place.ts";
import { TemporaryFolder } from "../staging/folder.ts";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import { closingLine, matrix, playedJson } from "../workloads/anomalies-report.ts";
import { explained } from "../workloads/explain.ts";
import { playAt, type Played } from "../workloads/played.ts";

interface Flags extends WorkloadPlaceFlags {
  readonly only?: string;
  readonly isolation?: Isolation;
  readonly explain?: true;
  readonly json?: true;
}

const exitCodesHelp = `
Exit codes:
  0    everything came out as it must: what a level lets through occurred, what it prevents did not, and the checker saw it
  1    something did not
  64   bad arguments; nothing was done
  70   a file, broker or log failed
  130  ended by Ctrl-C`;

/** `seriatim anomalies`: what goes wrong between agents, and what each level prevents of it. */
export function anomaliesCommand(): Command {
  const command = new Command("anomalies")
    .description("show what goes wrong between agents at each isolation level, each interleaving driven by hand")
    .option("--only <name>", "one of them, by its name")
    .addOption(
      new Option("--isolation <level>", "at one level (default: at all)").choices([...isolations].toReversed()),
    )
    .option("--explain", "tell each interleaving step by step: what was seen, what was refused, what the checker found")
    .option("--json", "print one JSON object for each interleaving and level");
  return addWorkloadPlaceFlags(command).addHelpText("after", exitCodesHelp).action(anomalies);
}

async function anomalies(flags: Flags): Promise<void> {
  const faults = new Faults();
  const place = workloadPlaceOf(flags, faults);
  const chosen = chosenOf(flags.only, faults);
  faults.check();
  const levels = flags.isolation === undefined ? [...isolations].toReversed() : [flags.isolation];
  const folder = new TemporaryFolder("anomalies", flags.folder);
  try {
    const played = await untilInterrupted((signal) => playAll(chosen, levels, { place, folder, signal }));
    if (played === undefined) return;
    report(played, levels, flags);
    process.exitCode = played.every(({ isAsExpected }) => isAsExpected) ? exitCodes.done : exitCodes.no;
  } finally {
    folder.remove();
  }
}

function chosenOf(name: string | undefined, faults: Faults): readonly Scenario[] {
  if (name === undefined) return scenarios;
  const chosen = scenarios.filter((scenario) => scenario.name === name);
  if (chosen.length === 0)
    faults.add(`--only is ${JSON.stringify(name)}; there are ${scenarios.map((each) => each.name).join(", ")}`);
  return chosen;
}

interface Playing {
  readonly place: FilePlace | KafkaPlace;
  readonly folder: TemporaryFolder;
  readonly signal: AbortSignal;
}

async function playAll(
  chosen: readonly Scenario[],
  levels: readonly Isolation[],
  { place, folder, signal }: Playing,
): Promise<Played[]> {
  const played: Played[] = [];
  const line = new LiveLine(() => `${played.length} of ${chosen.length * levels.length} played`);
  try {
    for (const scenario of chosen)
      for (const level of levels) {
        signal.throwIfAborted();
        played.push(await playAt(place, scenario, level, folder));
      }
  } finally {
    line.end();
  }
  return played;
}

function report(played: readonly Played[], levels: readonly Isolation[], { json, explain }: Flags): void {
  if (json === true) for (const each of played) printJson(playedJson(each));
  else if (explain === true) for (const each of played) for (const line of explained(each)) print(line);
  else for (const line of [...matrix(played, levels), "", closingLine(played)]) print(line);
}
