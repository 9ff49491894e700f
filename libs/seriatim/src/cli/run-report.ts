import type { Address } from "../staging/address.ts";
import type { Left } from "../staging/left.ts";
import type { Judged } from "../workloads/judging.ts";
import { coloured } from "./output.ts";
import { quoted } from "./place.ts";

/** A rule, whether it was kept, and what was counted. */
export type Kept = readonly [isKept: boolean, rule: string, detail: string];

/** A line for each rule, with its details under each other. */
export function keptLines(rules: readonly Kept[]): string[] {
  const width = Math.max(...rules.map(([, rule]) => rule.length));
  return rules.map(([isKept, rule, detail]) => {
    const word = isKept ? coloured("kept  ", "green") : coloured("BROKEN", "red");
    return `  ${word}  ${rule.padEnd(width)}  ${detail}`;
  });
}

/** What the checker found in the log. */
export function orderText({ judgement: { counts, components, coverage }, objections }: Judged): string {
  const [objection] = objections;
  if (objection !== undefined) return objection.message;
  if (components === 0) return `${coverage.checked} transactions judged, none out of order`;
  const found = Object.entries(counts).filter(([, count]) => count !== null && count > 0);
  return `cycles in ${components} places: ${found.map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`).join(", ")}`;
}

/** A command to try next, with what it shows. */
export type NextCommand = readonly [command: string, shows: string];

export function nextLines(commands: readonly NextCommand[]): string[] {
  const width = Math.max(...commands.map(([command]) => command.length));
  return commands.map(([command, shows]) => `  ${command.padEnd(width)}  ${shows}`);
}

/** Commands that look into the space that a run has left, or the one that keeps it where it was removed. */
export function looks(
  command: string,
  flags: string | undefined,
  further: (flags: string) => readonly NextCommand[],
): readonly NextCommand[] {
  if (flags === undefined) return [[command, "keeps the space, to look at how things came about"]];
  return [[`npx seriatim check ${flags}`, "the proof, or who is in whose way"], ...further(flags)];
}

/** `command` once more, on the same log. */
export function again(command: string, address: Address): string {
  return address.log === "kafka" ? `${command} --brokers ${address.brokers.join(",")}` : command;
}

/** The flags that lead to the space that a run has left; undefined when it was removed. */
export function leftFlags(address: Address, { file }: Left): string | undefined {
  if (address.log === "kafka") return `--brokers ${address.brokers.join(",")} --space ${address.space}`;
  return file === null ? undefined : `--file ${quoted(file)}`;
}
