/* The goodwill credit, in virtual time: every count is exact. */
import { detourRules, endOfMonth, guards, Lab, monthOf, runLab, tryDetour, type Guard } from "@seriatim/workloads";
import { describe, expect, it } from "vitest";
import { isAsExpected } from "../../libs/seriatim/src/workloads/lab-report.ts";
import { jsonLines, seriatim } from "./command.ts";

const zone = "Europe/Berlin";
const at = Date.parse("2026-07-15T12:00:00Z");

function prefix(month: string): string {
  return `goodwill-customer-7/${month}/credit-`;
}

function guard(name: string): Guard {
  const found = guards.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no guard ${name}`);
  return found;
}

async function expectCounts(name: string, think: readonly number[], expected: readonly number[]): Promise<void> {
  const result = await runLab(guard(name), { think, at, zone });
  const { standing, violations, granted, limitReached, refused, refusals, retries, wasted, elapsed } = result;
  expect([standing, violations, granted, limitReached, refused, refusals, retries, wasted, elapsed]).toEqual(expected);
  // Of those that are told no, each is told why, and what to do next.
  for (const answer of result.answers)
    if (answer.outcome !== "granted") expect([answer.reason, answer.nextStep]).not.toContain("");
  expect(result.judgement.findings.serializable?.answer).toBe(violations > 0 ? "violated" : "holds");
  expect(isAsExpected(result)).toBe(true);
  expect(isAsExpected({ ...result, violations: violations > 0 ? 0 : 1 })).toBe(false);
}

describe("one credit stands, two are allowed", () => {
  // stand, too many, granted, limit reached, gave up, refusals, retries, wasted ms, took ms
  it.each([
    ["none", [3, 1, 2, 0, 0, 0, 0, 0, 31]],
    ["own row", [3, 1, 2, 0, 0, 0, 0, 0, 31]],
    ["unique key", [1, 0, 0, 2, 0, 0, 0, 0, 31]],
    ["quota row", [2, 0, 1, 1, 0, 1, 1, 30, 62]],
    ["range read, one attempt", [2, 0, 1, 0, 1, 1, 0, 30, 31]],
    ["range read, ten attempts", [2, 0, 1, 1, 0, 1, 1, 30, 62]],
    ["lock", [2, 0, 1, 1, 0, 1, 1, 0, 66]],
  ])("two runs, %s", async (name, expected) => expectCounts(name, [30, 30], expected));

  it.each([
    ["none", [7, 5, 6, 0, 0, 0, 0, 0, 31]],
    ["own row", [7, 5, 6, 0, 0, 0, 0, 0, 31]],
    ["unique key", [1, 0, 0, 6, 0, 0, 0, 0, 31]],
    ["quota row", [2, 0, 1, 5, 0, 5, 5, 80, 96]],
    ["range read, one attempt", [2, 0, 1, 0, 5, 5, 0, 80, 31]],
    ["range read, ten attempts", [2, 0, 1, 5, 0, 5, 5, 80, 96]],
    ["lock", [2, 0, 1, 5, 0, 14, 14, 0, 109]],
  ])("six runs that think for 30, 20 and 10 ms, %s", async (name, expected) =>
    expectCounts(name, [30, 20, 10, 10, 10, 10], expected),
  );
});

describe("the month is the store's", () => {
  it("begins at midnight there, in summer and in winter", () => {
    expect(monthOf(Date.parse("2026-07-31T21:59:59.999Z"), zone)).toBe("2026-07");
    expect(monthOf(Date.parse("2026-07-31T22:00:00Z"), zone)).toBe("2026-08");
    expect(new Date(endOfMonth(at, zone)).toISOString()).toBe("2026-07-31T22:00:00.000Z");
    expect(new Date(endOfMonth(Date.parse("2026-12-24T18:00:00Z"), zone)).toISOString()).toBe(
      "2026-12-31T23:00:00.000Z",
    );
    expect(new Date(endOfMonth(at, "America/Los_Angeles")).toISOString()).toBe("2026-08-01T07:00:00.000Z");
  });

  it("at 00:30 on the first, after a quiet night, it is the new month, whatever the log's time is", async () => {
    const lab = await Lab.open(Date.parse("2026-07-31T20:00:00Z"), zone);
    for (const agent of ["ada", "ben"]) await guard("range read, ten attempts").give(lab.desk(agent, 10));
    await lab.clock.sleep(Date.parse("2026-07-31T22:30:00Z") - lab.clock.now());
    let logTime: Date | undefined;
    await lab.coordinator().run({ agent: "looks" }, async (tx) => {
      await tx.get("nothing/here");
      logTime = tx.time;
    });
    expect(monthOf(logTime?.getTime() ?? 0, zone)).toBe("2026-07");
    expect(await guard("range read, ten attempts").give(lab.desk("cy", 10))).toEqual({ outcome: "granted" });
    expect(await lab.coordinator().scan({ prefix: prefix("2026-07") })).toHaveLength(2);
    expect(await lab.coordinator().scan({ prefix: prefix("2026-08") })).toHaveLength(1);
  });

  it("at the turn of the month no credit lands in the wrong one: who was thinking looks at the clock again", async () => {
    const lab = await Lab.open(Date.parse("2026-07-31T21:59:59.950Z"), zone);
    const desk = lab.desk("ada", 100);
    expect(await guard("range read, ten attempts").give(desk)).toEqual({ outcome: "granted" });
    expect(desk.coordinator.statistics().refusals.not_in_time).toBe(1);
    expect(await lab.coordinator().scan({ prefix: prefix("2026-07") })).toEqual([]);
    expect(await lab.coordinator().scan({ prefix: prefix("2026-08") })).toHaveLength(1);
  });

  it("who is done before midnight is in the old month still", async () => {
    const lab = await Lab.open(Date.parse("2026-07-31T21:59:59.950Z"), zone);
    await guard("range read, ten attempts").give(lab.desk("ada", 40));
    expect(await lab.coordinator().scan({ prefix: prefix("2026-07") })).toHaveLength(1);
  });
});

it.each([
  ["credits", 45, "granted"],
  ["sum of goodwill", 30, "limit_reached"],
] as const)("another way to the same end: a rule on the %s leaves goodwill of %i", async (rule, goodwill, outcome) => {
  expect(detourRules).toContain(rule);
  const result = await tryDetour(rule, at, zone);
  expect(result.credit.outcome).toBe("limit_reached");
  expect(result).toMatchObject({ goodwill, isCaught: outcome === "limit_reached", discount: { outcome } });
  if (result.discount.outcome !== "granted") expect(result.discount.nextStep).toContain("by no other way either");
});

it("the command prints the table, for people and for machines", async () => {
  const table = await seriatim("lab");
  expect(table.code, table.stderr).toBe(0);
  expect(table.stdout).toMatch(/^own row +3 +1 +2 /m);
  expect(table.stdout).toContain("a rule on the sum of goodwill catches it");
  const rows = jsonLines(await seriatim("lab", "--runs", "6", "--json"));
  expect(rows.map(({ guard: name, standing }) => [name, standing]).slice(0, 3)).toEqual([
    ["none", 7],
    ["own row", 7],
    ["unique key", 1],
  ]);
});

it.each([
  [["--runs", "7"], "--runs"],
  [["--at", "noon"], "--at"],
  [["--zone", "Atlantis"], "--zone"],
  [["--think", "-1"], "--think"],
])("does nothing with bad arguments: %s", async (flags, said) => {
  const { code, stdout, stderr } = await seriatim("lab", ...flags);
  expect(code).toBe(64);
  expect(stdout).toBe("");
  expect(stderr).toContain(said);
});
