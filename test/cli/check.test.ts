import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { temporaryFile } from "../support/temporary.ts";
import { seriatim } from "./command.ts";

const credits = JSON.stringify({ name: "two credits", prefix: "credits-", groupBy: 2, max: 2 });

/** The demo's file, for as long as the test lasts. */
async function demoFile(isolation: string): Promise<string> {
  const file = temporaryFile();
  const { stderr, code } = await seriatim(["demo", "--file", file, "--runs", "60", "--isolation", isolation]);
  expect([0, 1], stderr).toContain(code);
  return file;
}

interface Reported {
  readonly answer: string;
  readonly found: string | null;
  readonly cycles: readonly { readonly anomaly: string; readonly command: string | null }[];
  readonly objections: readonly { readonly name: string }[];
  readonly rules: readonly { readonly breaks: number; readonly first: { readonly version: string } | null }[];
  readonly coverage: { readonly checked: number; readonly decisions: number | null; readonly derived: number };
}

function reportOf(stdout: string): Reported {
  return JSON.parse(stdout) as Reported;
}

describe("seriatim check, on what the demo left", () => {
  test("an unchecked run is refuted, and the slice that it names as well", async () => {
    const file = await demoFile("none");
    const rule = temporaryFile("credits.json");
    writeFileSync(rule, credits);
    const { code, stdout } = await seriatim(["check", "--file", file, "--invariant", rule, "--decisions", "--json"]);
    const report = reportOf(stdout);
    expect(code).toBe(1);
    expect(report).toMatchObject({ answer: "violated", found: "none", objections: [] });
    expect(report.rules[0]?.breaks).toBeGreaterThan(0);
    const { command } = report.cycles[0] ?? {};
    const [, flags = ""] =
      /^seriatim export (.*) > slice\.jsonl; seriatim check slice\.jsonl$/.exec(command ?? "") ?? [];
    const slice = temporaryFile("slice.jsonl");
    writeFileSync(slice, (await seriatim(["export", ...flags.split(" ")])).stdout);
    const again = await seriatim(["check", slice, "--json"]);
    expect(again.code).toBe(1);
    expect(reportOf(again.stdout).cycles[0]?.anomaly).toBe(report.cycles[0]?.anomaly);
  });

  test("a serializable run is proved, and so is an export of it", async () => {
    const file = await demoFile("serializable");
    const { code, stdout } = await seriatim(["check", file, "--decisions", "--json"]);
    expect(code).toBe(0);
    const report = reportOf(stdout);
    expect(report).toMatchObject({ answer: "holds", found: "serializable", objections: [], cycles: [] });
    expect(report.coverage.decisions).toBeGreaterThanOrEqual(report.coverage.checked);
    const copy = temporaryFile("space.jsonl");
    writeFileSync(copy, (await seriatim(["export", file])).stdout);
    const again = reportOf((await seriatim(["check", copy, "--decisions", "--json"])).stdout);
    expect({ ...again, source: "", headline: "" }).toEqual({ ...report, source: "", headline: "" });
  });

  test("verdicts alone leave it undecided, and intents alone are judged by derived outcomes", async () => {
    const file = await demoFile("serializable");
    expect((await seriatim(["check", file, "--logs", "verdicts"])).code).toBe(2);
    const { code, stdout } = await seriatim(["check", file, "--logs", "intents", "--json"]);
    expect(code).toBe(0);
    expect(reportOf(stdout).coverage.derived).toBeGreaterThan(0);
  });

  test("the head that status prints must be in the log", async () => {
    const file = await demoFile("serializable");
    const status = await seriatim(["status", "--file", file, "--json"]);
    const { partitions } = JSON.parse(status.stdout) as { partitions: { chain: string }[] };
    const head = partitions[0]?.chain ?? "";
    expect((await seriatim(["check", file, "--head", head])).code).toBe(0);
    const other = await seriatim(["check", file, "--head", "0123456789abcdef"]);
    expect(other.code).toBe(1);
    expect(other.stdout).toContain("audit:head");
  });
});

describe("seriatim check, asked wrongly", () => {
  test.each([
    [["check"], 64, "no space is named"],
    [["check", "nowhere.jsonl"], 64, "there is no file nowhere.jsonl"],
    [["check", "package.json", "--file", "x"], 64, "exclude each other"],
    [["check", "package.json"], 70, "no export of Seriatim"],
    [["check", "README.md"], 70, "begins like no history that is known"],
    [["check", "package.json", "--format", "awdit", "--head", "0123456789"], 64, "--head is for a space"],
    [["export", "package.json", "--format", "awdit"], 64, "unknown option"],
    [["check", "package.json", "--head", "xyz"], 64, "--head"],
    [["check", "package.json", "--from", "5", "--to", "3"], 64, "--to 3 is below --from 5"],
    [["check", "package.json", "--logs", "effect"], 64, "--logs"],
    [["check", "package.json", "--level", "high"], 64, "--level"],
    [["check", "package.json", "--level", "claimed", "--session-order"], 64, "--session-order goes with"],
    [["check", "package.json", "--logs", "verdicts"], 64, "--logs is for a file or topics"],
    [["check", "package.json", "--invariant", "package.json"], 64, "package.json"],
  ])("%j exits %d and says %s", async (args, code, said) => {
    const ended = await seriatim(args);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toContain(said);
  });
});
