import { writeFileSync } from "node:fs";
import { Failure } from "@seriatim/protocol";
import { Command, Option } from "commander";
import {
  askedLevels,
  cyclesSvg,
  loadRules,
  reportLines,
  reportPage,
  type AskedLevel,
  type Report,
} from "@seriatim/checker";
import { checkForeign } from "../check/check-foreign.ts";
import { addFormatFlag, checkedOf, isForeign, type Checked } from "../check/checked.ts";
import { headsOf } from "../check/heads.ts";
import { openSource, type SourceOptions } from "../check/open-source.ts";
import { Progress } from "../check/progress.ts";
import { checkSpace, type CheckOptions } from "../check/run-check.ts";
import { addSliceFlags, logsOf, sliceOf, type SliceFlags } from "../check/slice.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { whole } from "../cli/numbers.ts";
import { coloured, escapeUnprintable, print, printJson } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags } from "../cli/place.ts";

interface Flags extends SliceFlags {
  readonly level: AskedLevel;
  readonly sessionOrder?: true;
  readonly realTime?: true;
  readonly decisions?: true;
  readonly audit: boolean;
  readonly invariant: readonly string[];
  readonly head: readonly string[];
  readonly examples: string;
  readonly json?: true;
  readonly svg?: string;
  readonly html?: string;
}

const exitCodesHelp = `
What is checked is a space, by --file or --brokers and --space, or a SOURCE: an embedded file, what \`seriatim export\`
wrote, or a history that others wrote (Elle's list-append, rw-register and closed-predicate in EDN or JSON, AWDIT,
r|w(key,value,session,txn), dbcop, Cobra).

Exit codes:
  0    it holds
  1    it does not: of the level asked for, of an invariant, or in the audit of the log
  2    undecided: what was read does not say enough
  64   bad arguments; nothing was done
  70   a file, broker or log cannot be read`;

/** `seriatim check`: judges what stands in a log, and asks nobody. */
export function checkCommand(): Command {
  const command = new Command("check")
    .description("prove from the log alone, or refute, that a run could have happened one transaction at a time")
    .argument("[source]", "a file to check, in place of --file or --brokers")
    .addOption(
      new Option("--level <level>", "what to hold the history to; claimed: each transaction to its own level")
        .choices(askedLevels)
        .default("serializable"),
    )
    .option("--session-order", "an agent's transactions must also keep their order")
    .option("--real-time", "whatever ended before another began must also come before it")
    .option("--decisions", "derive every verdict anew, and name the first that differs")
    .option("--invariant <file>", "a rule to evaluate after every commit; may be given again", gather, [])
    .option(
      "--head <hash>",
      "the chain hash that the log must hold, as `status` prints it; P:HASH for partition P",
      gather,
      [],
    );
  command
    .option("--examples <number>", "how many cycles and bad reads to show", "5")
    .option("--no-audit", "take the lines of an export at their word: several times faster, and finds no damage")
    .option("--svg <file>", "draw the cycles into a file")
    .option("--html <file>", "write the report as one page, with the cycles drawn");
  return addJsonFlag(addPlaceFlags(addSliceFlags(addFormatFlag(command))), "print the report as one JSON object")
    .addHelpText("after", exitCodesHelp)
    .action(check);
}

function gather(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function check(path: string | undefined, flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const checked = await checkedOf(path, command, faults);
  const [slice, logs, heads] = [sliceOf(flags, faults), logsOf(flags, faults), headsOf(flags.head, faults)];
  const examples = whole(flags.examples, "--examples", 0, faults) ?? 0;
  const rules = await rulesOf(flags.invariant, faults);
  checkForeignFlags(checked, command, faults);
  checkOrderFlags(flags, faults);
  if (checked?.kind === "history" && checked.format === "export" && logs !== undefined)
    faults.add(`--logs is for a file or topics; of ${checked.path} all is read`);
  faults.check();
  if (checked === undefined) return;
  const { level, sessionOrder = false, realTime = false, decisions = false, audit } = flags;
  const options: CheckOptions = { level, session: sessionOrder, realTime, decisions, audit, rules, heads, examples };
  const report = await untilInterrupted((signal) => reportOn(checked, options, { slice, logs, signal }));
  if (report === undefined) return;
  if (flags.svg !== undefined) writeFile(flags.svg, cyclesSvg(report));
  if (flags.html !== undefined) writeFile(flags.html, reportPage(report));
  if (flags.json === true) printJson(report);
  else show(report);
  process.exitCode = codes[report.answer];
}

async function reportOn(
  checked: Checked,
  options: CheckOptions,
  { signal, ...which }: SourceOptions & { readonly signal: AbortSignal },
): Promise<Report> {
  if (isForeign(checked)) return checkForeign(checked, options);
  const progress = new Progress();
  const source = await openSource(checked, which);
  try {
    return await checkSpace(source, options, { signal, progress });
  } finally {
    progress.end();
    await source.close();
  }
}

/** Of a history that others wrote there is nothing to be audited, or to be read in part. */
function checkForeignFlags(checked: Checked | undefined, command: Command, faults: Faults): void {
  if (checked === undefined || !isForeign(checked)) return;
  for (const name of ["from", "to", "partition", "logs", "decisions", "invariant", "head"])
    if (command.getOptionValueSource(name) === "cli")
      faults.add(`--${name} is for a space; ${checked.path} is a history in the format ${checked.format}`);
  for (const level of ["log-order", "claimed", "none"] satisfies AskedLevel[])
    if (command.opts<Flags>().level === level)
      faults.add(
        `--level ${level} is for a space; of a history in the format ${checked.format} ask serializable or snapshot`,
      );
}

/** An order of time or of sessions makes a level stronger; the other levels have no stronger form. */
function checkOrderFlags({ level, sessionOrder, realTime }: Flags, faults: Faults): void {
  if (level === "serializable" || level === "snapshot") return;
  for (const [name, isGiven] of Object.entries({ "--session-order": sessionOrder, "--real-time": realTime }))
    if (isGiven === true) faults.add(`${name} goes with --level serializable or snapshot, not with ${level}`);
}

function writeFile(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("read_only", `${path} cannot be written: ${why}`, { cause });
  }
}

const codes = { holds: exitCodes.done, violated: exitCodes.no, undecided: exitCodes.undecided } as const;
const colours = { holds: "green", violated: "red", undecided: "yellow" } as const;

function show(report: Report): void {
  const [word = "", ...rest] = report.headline.split("  ");
  print(`${coloured(word, colours[report.answer])}  ${escapeUnprintable(rest.join("  "))}`);
  for (const line of reportLines(report)) print(escapeUnprintable(line));
}

async function rulesOf(paths: readonly string[], faults: Faults): Promise<CheckOptions["rules"]> {
  const rules = await Promise.all(paths.map((path) => faults.fromPromise(loadRules(path))));
  return rules.flatMap((loaded) => loaded ?? []);
}
