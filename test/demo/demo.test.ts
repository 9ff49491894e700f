import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { childrenOf, demo, folder, isAlive, struck, summaryOf } from "./command.ts";

const small = ["--agents", "4", "--runs", "40"];

describe("seriatim demo", () => {
  test("keeps the rules at level serializable, and leaves nothing behind", async () => {
    const ended = await demo([...small, "--json"]);
    expect(ended.code, ended.stderr).toBe(0);
    const summary = summaryOf(ended);
    expect(summary).toMatchObject({
      isolation: "serializable",
      seed: 1,
      agents: 4,
      runs: 40,
      log: "sqlite",
      commits: 40,
      violations: 0,
      lost: 0,
    });
    expect(summary["seconds"]).toBeGreaterThan(0);
    expect(summary["refusals"]).toBeGreaterThan(0);
    expect(summary["retries"]).toBe(summary["refusals"]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("breaks them at level none, says which, and exits with 1", async () => {
    const ended = await demo([...small, "--isolation", "none"]);
    expect(ended.code, ended.stderr).toBe(1);
    expect(ended.stdout).toContain("BROKEN  at most 2 goodwill credits a customer and month");
    expect(ended.stdout).toContain("0 verdicts refused");
    expect(ended.stdout).toContain("by nobody:");
  });

  test("counts the damage at level none", async () => {
    const ended = await demo([...small, "--isolation", "none", "--json"]);
    expect(ended.code, ended.stderr).toBe(1);
    const summary = summaryOf(ended);
    expect(summary["violations"]).toBeGreaterThan(0);
    expect(summary).toMatchObject({ refusals: 0, retries: 0, isolation: "none" });
  });

  test("at level snapshot, seats hold and credits do not", async () => {
    const ended = await demo([...small, "--isolation", "snapshot", "--json"]);
    expect(ended.code, ended.stderr).toBe(1);
    const summary = summaryOf(ended);
    expect(summary["customersOverLimit"]).toBeGreaterThan(0);
    expect(summary).toMatchObject({ seatsSoldTwice: 0, lost: 0 });
  });

  test("demos on one file, one after another and at once, do not disturb each other", async () => {
    const flags = [...small, "--json", "--file", join(folder, "demo.db")];
    const broken = await demo([...flags, "--isolation", "none"]);
    const together = await Promise.all([demo(flags), demo(flags)]);
    expect([broken, ...together].map(({ code }) => code)).toEqual([1, 0, 0]);
    const months = [broken, ...together].map((ended) => summaryOf(ended)["month"]);
    expect(new Set(months).size).toBe(3);
  });

  test("tells the losers why, in sentences with a next step", async () => {
    const { stdout } = await demo(small);
    expect(stdout).toMatch(/by a verdict:\n {4}"(credits|seats)-/);
    expect(stdout).toContain("by the rule (limit_reached):");
  });

  test("ends within two seconds of Ctrl-C, with all its processes, and removes what was temporary", async () => {
    const { ended, children, ms } = await struck((pid) => process.kill(pid, "SIGINT"));
    expect(ended.code, ended.stderr).toBe(130);
    expect(ended.stdout).toBe("");
    expect(children).toHaveLength(4);
    expect(children.filter(isAlive)).toEqual([]);
    expect(ms).toBeLessThan(2000);
    expect(await readdir(folder)).toEqual([]);
  });

  test("leaves no process behind when it is killed itself", async () => {
    const { children } = await struck((pid) => process.kill(pid, "SIGKILL"));
    expect(children).toHaveLength(4);
    await expect.poll(() => children.filter(isAlive), { timeout: 5000 }).toEqual([]);
  });

  test("says which agent died, and of what", async () => {
    const { ended, children } = await struck((pid) => {
      const [first] = childrenOf(pid);
      if (first !== undefined) process.kill(first, "SIGKILL");
    });
    expect(ended.code).toBe(70);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toMatch(/agent-\d ended early, by signal SIGKILL/);
    expect(children.filter(isAlive)).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("does nothing with a directory in place of a file, and says so", async () => {
    const ended = await demo([...small, "--json", "--file", folder]);
    expect([64, 70]).toContain(ended.code);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toContain(folder);
  });

  test("names everything that is wrong with its arguments at once, and does nothing", async () => {
    const ended = await demo(["--agents", "65", "--runs", "many", "--seed", "-1", "--think", "1.5", "--space", "team"]);
    expect(ended.code, ended.stderr).toBe(64);
    expect(ended.stdout).toBe("");
    for (const flag of ["--agents", "--runs", "--seed", "--think", "--space"]) expect(ended.stderr).toContain(flag);
  });

  test.each([
    ["--isolation", "strict"],
    ["--agents", "0"],
    ["--brokers", "nowhere"],
    ["--brokers", "127.0.0.1:9092", "--file", "demo.db"],
    ["--unknown"],
  ])("does nothing with bad arguments: %s %s", async (...flags) => {
    const ended = await demo(flags);
    expect(ended.code, ended.stderr).toBe(64);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).not.toBe("");
  });
});
