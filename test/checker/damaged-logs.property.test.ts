import { readFileSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { openExportSource, type Report, type SpaceSource } from "@seriatim/checker";
import { isFailure } from "@seriatim/protocol";
import { describe, expect, test } from "vitest";
import { Progress } from "../../libs/seriatim/src/check/progress.ts";
import { checkSpace } from "../../libs/seriatim/src/check/run-check.ts";
import { holdsInTime } from "../core/seeded.ts";
import { damaged, damages, type Damage } from "./damage.ts";
import { logs, storedOf } from "./sound-logs.ts";
import { exported, storedSource } from "./stored-space.ts";

const file = "test/checker/damaged-logs.property.test.ts";
const options = {
  level: "none",
  session: false,
  realTime: false,
  decisions: false,
  audit: true,
  rules: [],
  heads: new Map(),
  examples: 5,
} as const;

/** The audit's answer: what the transactions did is another matter. */
function answerOf(source: SpaceSource): Promise<Report> {
  return checkSpace(source, options, { signal: new AbortController().signal, progress: new Progress() });
}

describe("a damaged log never holds", () => {
  test("whatever becomes of a record, it is found at its place", async () => {
    const property = fc.asyncProperty(logs, damages, async (log, damage) => {
      const sound = storedOf(log);
      const broken = damaged(sound, damage);
      fc.pre(broken !== undefined);
      const report = await answerOf(storedSource(broken, { partition: log.partition }));
      expect(report.answer, JSON.stringify(report.objections)).toBe(expectedAnswer(damage, sound.verdicts.length));
      if (report.answer === "violated") expect(report.objections.length).toBeGreaterThan(0);
      if (damage.log === "verdicts" && damage.kind === "cut") {
        const cut = sound.intents[damage.at % sound.verdicts.length]?.offset;
        expect(report.coverage.partitions[0]?.undecidedFrom).toBe(cut);
      }
    });
    await holdsInTime(file, property, 400);
  });

  test("nor does an export of which a line was changed, dropped, moved or torn", async () => {
    const property = fc.asyncProperty(
      logs,
      fc.nat(60),
      fc.nat(5_000),
      fc.constantFrom(...lineDamages),
      async (log, at, where, kind) => {
        const copy = await exported(storedSource(storedOf(log), { partition: log.partition }));
        const lines = readFileSync(copy.name, "utf8").trimEnd().split("\n");
        const changed = damagedLines(lines, { at: 1 + (at % (lines.length - 1)), where, kind });
        fc.pre(changed !== undefined);
        writeFileSync(copy.name, changed);
        const answer = await answerOrFailure(copy.name);
        expect(
          ["violated", "undecided", "unreadable"],
          changed.split("\n").slice(1).join("\n").slice(0, 1500),
        ).toContain(answer);
      },
    );
    await holdsInTime(file, property, 400);
  });
});

function expectedAnswer({ log, kind, at }: Damage, count: number): Report["answer"] {
  const isLast = at % count === count - 1;
  if (log === "verdicts" && kind === "repeat") return "holds";
  // Of a log that ends early nobody can say that more was there.
  if (log === "verdicts" && (kind === "cut" || (kind === "drop" && isLast))) return "undecided";
  if (log === "intents" && kind === "repeat") return "undecided";
  return "violated";
}

async function answerOrFailure(path: string): Promise<string> {
  try {
    const source = await openExportSource(path);
    return (await answerOf(source)).answer;
  } catch (error) {
    if (isFailure(error, "unreadable", "unknown_rules")) return "unreadable";
    throw error;
  }
}

const lineDamages = ["character", "drop", "swap", "tear"] as const;

interface LineDamage {
  readonly at: number;
  readonly where: number;
  readonly kind: (typeof lineDamages)[number];
}

/** Undefined where nothing changes that anybody could see. The last line may be missing, and nobody knows. */
function damagedLines(lines: readonly string[], { at, where, kind }: LineDamage): string | undefined {
  const line = lines[at] ?? "";
  const isLast = at === lines.length - 1;
  switch (kind) {
    case "character": {
      const changed = otherCharacter(line, where % line.length);
      return changed === undefined ? undefined : textOf(lines.with(at, changed));
    }
    case "drop":
      return isLast ? undefined : textOf(lines.toSpliced(at, 1));
    case "swap":
      return isLast || isOtherLog(line, lines[at + 1] ?? "")
        ? undefined
        : textOf(lines.with(at, lines[at + 1] ?? "").with(at + 1, line));
    case "tear":
      // Torn off before its first character a line is missing, and of the last one nobody knows.
      return textOf(lines.with(at, line.slice(0, 1 + (where % (line.length - 1)))));
  }
}

/** Records of two logs may stand in one order or the other. */
function isOtherLog(line: string, next: string): boolean {
  const [log, other] = [line, next].map((text) => /"log":"(\w+)"/.exec(text)?.[1]);
  return log !== undefined && other !== undefined && log !== other;
}

/** Append times only count where they are the highest so far, and the place of a verdict in its log not at all. */
function otherCharacter(line: string, at: number): string | undefined {
  const isUnchecked = [...line.matchAll(/"time":\d+|"log":"verdicts","partition":\d+,"offset":\d+/g)].some(
    ({ index, 0: found }) => at >= index && at < index + found.length,
  );
  const character = line[at] === "7" ? "8" : "7";
  return isUnchecked ? undefined : line.slice(0, at) + character + line.slice(at + 1);
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
