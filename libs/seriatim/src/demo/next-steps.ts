import { isolations, type Isolation } from "@seriatim/protocol";
import type { DemoResult } from "./demo.ts";
import { isCredit } from "./keys.ts";
import type { Summary } from "./summary.ts";

const reasons: Readonly<Record<Isolation, string>> = {
  serializable: "the same agents, every rule kept",
  snapshot: "seats hold, credits do not: each credit is a key of its own",
  none: "the same agents unchecked, and the damage",
};

/** Commands, each with what it shows. */
export function nextLines(result: DemoResult, summary: Summary): string[] {
  const others = isolations.filter((level) => level !== summary.isolation);
  const place = summary.log === "kafka" ? ` --brokers ${brokersOf(result)}` : "";
  const commands = others.map((level) => [`${demo()}${place} --isolation ${level}`, reasons[level]] as const);
  const all = [...commands, ...historyCommands(result, summary)];
  const width = Math.max(...all.map(([command]) => command.length));
  return all.map(([command, reason]) => `  ${command.padEnd(width)}  ${reason}`);
}

function historyCommands(result: DemoResult, summary: Summary): (readonly [string, string])[] {
  const flags = placeFlags(result, summary);
  if (flags === undefined) return [[`${demo()} --file demo.db`, "keeps the space, to look at how things came about"]];
  const key = tellingKey(result);
  const check: [string, string] = [`npx seriatim check ${flags}`, "the proof, or who is in whose way"];
  return key === undefined
    ? [check]
    : [check, [`npx seriatim history ${flags} ${key}`, "who wrote this seat, and when"]];
}

function placeFlags(result: DemoResult, { file, space }: Summary): string | undefined {
  if (space !== null) return `--brokers ${brokersOf(result)} --space ${space}`;
  return file === null ? undefined : `--file ${file}`;
}

function brokersOf({ address }: DemoResult): string {
  return address.log === "kafka" ? address.brokers.join(",") : "";
}

/** A seat with a story: one sold to several where there is one. */
function tellingKey({ judgement, tally }: DemoResult): string | undefined {
  const [first] = judgement.soldTwice.keys();
  return first ?? tally.claims.find(({ key }) => !isCredit(key))?.key;
}

/** The command as the reader has just typed it. */
function demo(): string {
  return process.env["npm_lifecycle_event"] === "start" ? "npm start --" : "npx seriatim demo";
}
