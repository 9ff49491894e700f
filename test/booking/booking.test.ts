import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFile } from "../support/temporary.ts";
import { seriatim } from "../workloads/command.ts";
import { booking, expectOversold, expectSound, summaryOf } from "./command.ts";

const small = { agents: 5, seats: 2 };
const sizes = ["--agents", "5", "--seats", "2", "--json"];

describe("seriatim booking in a file", () => {
  it.each([1, 2, 3])("sells each seat once at level serializable, seed %d", async (seed) => {
    const ended = await booking(...sizes, "--seed", String(seed));
    expectSound(ended, small);
    expect(summaryOf(ended)).toMatchObject({ serializable: true, log: "sqlite", file: null });
    expect(summaryOf(ended).refusals).toBeGreaterThan(0);
  });

  it.each([4, 5])("sells each seat once at level snapshot, seed %d", async (seed) => {
    expectSound(await booking(...sizes, "--isolation", "snapshot", "--seed", String(seed)), small);
  });

  it.each([6, 7])("oversells at level none, and exits with 1, seed %d", async (seed) => {
    expectOversold(await booking(...sizes, "--isolation", "none", "--seed", String(seed)), small);
  });

  it("has calls repeated under the same key, and the box office suppresses them", async () => {
    // So many calls that a seed cannot spare them.
    const { office } = summaryOf(await booking("--agents", "8", "--seats", "4", "--json"));
    expect(office.requests).toBeGreaterThan(office.keys);
    expect(office.suppressed).toBeGreaterThan(0);
  });

  it("tells people what happened, and what a loser was told", async () => {
    const { stdout } = await booking("--agents", "3", "--seats", "1");
    expect(stdout).toContain("kept    each seat is sold once");
    expect(stdout).toContain("kept    no hold is left behind");
    expect(stdout).toMatch(/What a loser was told:\n {2}agent-\d:\n {4}"show-/);
  });

  it("runs again in the same file, and disturbs nothing that is there", async () => {
    const file = temporaryFile();
    const flags = ["--agents", "3", "--seats", "1", "--json", "--file", file];
    const broken = await booking(...flags, "--isolation", "none");
    const sound = await booking(...flags);
    expect(summaryOf(broken).file).toBe(file);
    expectOversold(broken, { agents: 3, seats: 1 });
    // The checker reads all of the file: what is not in order there is not this run's.
    expectSound(sound, { agents: 3, seats: 1 });
    expect(summaryOf(sound).serializable).toBe(false);
  });

  it("keeps the file if it is asked to, and says what to look at", async () => {
    const { stdout } = await booking("--agents", "2", "--seats", "1", "--keep");
    const [, file = ""] = /seriatim check --file (\S+)/.exec(stdout) ?? [];
    try {
      expect(existsSync(file)).toBe(true);
      const key = /seriatim history --file \S+ (\S+)/.exec(stdout)?.[1] ?? "";
      expect(key).toMatch(/^show-\w+\/seat-1$/);
      const history = await seriatim("history", "--file", file, key);
      expect(history).toMatchObject({ code: 0, stderr: "" });
      expect(history.stdout).toContain('"reservation"');
    } finally {
      await rm(dirname(file), { recursive: true, force: true });
    }
  });

  it("names every fault of its arguments, and does nothing", async () => {
    const ended = await booking("--agents", "0", "--seats", "x", "--seed", "-1", "--space", "s");
    expect(ended).toMatchObject({ code: 64, stdout: "" });
    for (const fault of ['--agents is "0"', '--seats is "x"', '--seed is "-1"', "--space goes with --brokers"])
      expect(ended.stderr).toContain(fault);
  });
});
