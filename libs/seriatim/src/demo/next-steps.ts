import { isolations, type Isolation } from "@seriatim/protocol";
import { again, leftFlags, looks, type NextCommand } from "../cli/run-report.ts";
import type { DemoResult } from "./demo.ts";
import { isCredit } from "./keys.ts";
import type { Summary } from "./summary.ts";

const reasons: Readonly<Record<Isolation, string>> = {
  serializable: "the same agents, every rule kept",
  snapshot: "seats hold, credits do not: each credit is a key of its own",
  none: "the same agents unchecked, and the damage",
};

export function nextCommands(result: DemoResult, summary: Summary): NextCommand[] {
  const others = isolations.filter((level) => level !== summary.isolation);
  const command = again(demo(), result.address);
  const commands = others.map((level): NextCommand => [`${command} --isolation ${level}`, reasons[level]]);
  const key = tellingKey(result);
  const left = looks(`${demo()} --file demo.db`, leftFlags(result.address, summary), (flags) =>
    key === undefined ? [] : [[`npx seriatim history ${flags} ${key}`, "who wrote this seat, and when"]],
  );
  return [...commands, ...left];
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
