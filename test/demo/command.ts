import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect } from "vitest";

const program = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Struck {
  readonly ended: Ended;
  /** The demo's child processes at that moment. */
  readonly children: readonly number[];
  /** How long it then took to end. */
  readonly ms: number;
}

/** Where the demo keeps what is temporary, so that a test can see what is left of it. */
export let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seriatim-test-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Runs the built command; `onStderr` is told all that it has written to stderr so far. */
export function demo(flags: readonly string[], onStderr?: (text: string, pid: number) => void): Promise<Ended> {
  const child = spawn(process.execPath, [program, "demo", ...flags], { env: { ...process.env, TMPDIR: folder } });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => {
    stderr += data.toString();
    if (child.pid !== undefined) onStderr?.(stderr, child.pid);
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** Does something to a long demo while its agents are at work. */
export async function struck(strike: (pid: number) => void, flags: readonly string[] = []): Promise<Struck> {
  let struckAt: number | undefined;
  let children: number[] = [];
  const ended = await demo(["--agents", "4", "--runs", "4000", "--json", ...flags], (text, pid) => {
    if (struckAt !== undefined || !text.includes("commits")) return;
    children = childrenOf(pid);
    struckAt = performance.now();
    strike(pid);
  });
  return { ended, children, ms: performance.now() - (struckAt ?? 0) };
}

export function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  return stdout.split("\n").filter(Boolean).map(Number);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The one line of JSON on stdout. */
export function summaryOf({ stdout }: Ended): Record<string, unknown> {
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  return JSON.parse(stdout) as Record<string, unknown>;
}
