import { Option, type Command } from "commander";
import { createCoordinator, type Refusal, type RunResult, type Transaction } from "@seriatim/client";
import { Failure, toKey, type Version } from "@seriatim/protocol";
import { nameOf } from "../advances.ts";
import { checkText, parseVersion } from "./arguments.ts";
import { Refused } from "./exit-codes.ts";
import type { Faults } from "./faults.ts";
import { untilInterrupted } from "./interrupt.ts";
import { withSpace, type OpenSpace } from "./open-space.ts";
import { print, printJson, say, valueJson } from "./output.ts";
import { addJsonFlag, addPlaceFlags, addWaitFlag, type Place } from "./place.ts";
import { userAgent } from "./user-agent.ts";

export interface WriteFlags {
  readonly agent: string;
  readonly ifVersion?: string;
  readonly blind?: true;
  readonly json?: true;
  readonly wait: string;
}

/** The state in which the key must be for the write to happen. */
type Condition = Version | "absent" | undefined;

interface Write {
  readonly key: string;
  readonly agent: string;
  readonly condition: Condition;
  readonly apply: (tx: Transaction) => void;
}

/** What the transaction's function returns: undefined when it wrote, else what it found in place of the condition. */
type Found = string | undefined;

/** After how many ms of waiting for a verdict to say so. */
const quietFor = 1_500;

/** Declares the flags that put and delete share. */
export function addWriteFlags(command: Command): Command {
  command
    .addOption(new Option("--agent <name>", "who writes").default(userAgent()))
    .option("--if-version <version>", 'only if the key is at this version, such as 0@42, or "absent"')
    .option("--blind", "whatever others write to the key meanwhile");
  return addJsonFlag(addWaitFlag(addPlaceFlags(command)), "print one JSON object");
}

export function conditionOf({ ifVersion, blind, agent }: WriteFlags, faults: Faults): Condition {
  checkText("--agent", agent, faults);
  if (agent === "") faults.add("--agent is empty; name who writes");
  if (ifVersion === undefined) return undefined;
  if (blind === true)
    faults.add("--if-version and --blind exclude each other: a blind write looks at nothing; give one of them");
  return ifVersion === "absent" ? "absent" : parseVersion(ifVersion, "--if-version", faults);
}

/**
 * Writes by one transaction, and prints its version.
 * @throws Refused when it was refused or its condition did not hold; Failure as `Coordinator.run` does.
 */
export async function write(place: Place, wait: number, { json }: WriteFlags, writing: Write): Promise<void> {
  const cutShort = `ended before the verdict came: see with \`seriatim history\` whether ${writing.key} was written`;
  await untilInterrupted(
    (signal) =>
      withSpace(place, { writes: true, wait, signal }, async (space) => {
        const hint = setTimeout(() => say("waiting for a verdict; does a sequencer run?"), quietFor);
        const running = run(space, writing, wait, signal).finally(() => clearTimeout(hint));
        report(writing, await running, json === true);
      }),
    { cutShort },
  );
}

function run(space: OpenSpace, writing: Write, wait: number, signal: AbortSignal): Promise<RunResult<Found>> {
  const { key, agent, condition, apply } = writing;
  const coordinator = createCoordinator(space, { verdictTimeout: wait });
  return coordinator.run<Found>({ agent, signal }, async (tx) => {
    if (condition === undefined) {
      apply(tx);
      return undefined;
    }
    // Read by the transaction, so that it holds until the verdict; its version is what stands at the same snapshot.
    await tx.get(key);
    const version = space.view.version(toKey(key), tx.snapshot.offset);
    const found = version === null ? "absent" : nameOf({ ...tx.snapshot, offset: version });
    if (found !== (condition === "absent" ? condition : nameOf(condition))) return found;
    apply(tx);
    return undefined;
  });
}

function report({ key, condition }: Write, result: RunResult<Found>, json: boolean): void {
  if (result.outcome === "refused") {
    if (json) printJson(refusalJson(result.refusal));
    throw new Refused(result.refusal.message);
  }
  const { value: found, version, intent } = result;
  if (found !== undefined && condition !== undefined) {
    const wanted = condition === "absent" ? "absent" : nameOf(condition);
    if (json) printJson({ outcome: "condition_failed", key, ifVersion: wanted, found });
    throw new Refused(conditionText(key, wanted, found));
  }
  // Nothing to decide is impossible here: every such transaction writes.
  if (version === undefined) throw new Failure("unknown_outcome", `the write of ${key} was not decided`);
  if (json) printJson({ outcome: "committed", key, version: nameOf(version), intent });
  else print(nameOf(version));
}

function refusalJson({ version, conflicts, ...refusal }: Refusal): object {
  return {
    outcome: "refused",
    ...refusal,
    version: nameOf(version),
    conflicts: conflicts.map(({ value, yours, ...conflict }) => ({
      ...conflict,
      version: nameOf(conflict.version),
      yours: typeof yours === "string" ? yours : nameOf(yours),
      ...valueJson(value),
    })),
  };
}

function conditionText(key: string, wanted: string, found: string): string {
  const state = found === "absent" ? "is absent" : `is at version ${found}`;
  return `${JSON.stringify(key)} ${state}, and not ${wanted === "absent" ? "absent" : `at ${wanted}`}; nothing was written: read it again, and decide anew`;
}
