import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Report as CheckReport } from "@seriatim/checker";
import type { FaultPlace } from "./place.ts";

const main = fileURLToPath(new URL("../../../libs/seriatim/dist/main.js", import.meta.url));
const rule = fileURLToPath(new URL("whole-ledgers.mjs", import.meta.url));

interface Ended {
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `seriatim` to its end, on the space of a place, as JSON. */
function seriatim({ brokers, space }: FaultPlace, args: readonly string[]): Promise<Ended> {
  const flags = ["--brokers", brokers.join(","), "--space", space, "--json"];
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args, ...flags], { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr });
    });
  });
}

/** What `seriatim check` says of the whole space: of its history, its logs, each decision and the rule. */
export async function check(place: FaultPlace): Promise<CheckReport> {
  const { code, stdout, stderr } = await seriatim(place, ["check", "--decisions", "--invariant", rule]);
  if (stdout === "") throw new Error(`seriatim check ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as CheckReport;
}

/** An effect that is not done, as `seriatim effects list` has it; undefined when all are. */
export async function openEffect(place: FaultPlace, effectsFile: string): Promise<string | undefined> {
  const args = ["effects", "list", "--limit", "1", "--effects", effectsFile];
  const { code, stdout, stderr } = await seriatim(place, args);
  if (code !== 0) throw new Error(`seriatim effects list ended with ${code}: ${stderr}`);
  return stdout === "" ? undefined : stdout.trimEnd();
}
