import { readFile } from "node:fs/promises";
import { Command } from "commander";
import { createCoordinator } from "@seriatim/client";
import type { Imported } from "@seriatim/gateway";
import { Failure } from "@seriatim/protocol";
import { checkText } from "../cli/arguments.ts";
import { placeOrDefault } from "../cli/default-place.ts";
import { Refused } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { withSpace } from "../cli/open-space.ts";
import { print, printJson, say } from "../cli/output.ts";
import { checkNoneAbove } from "../cli/parent-flags.ts";
import { addJsonFlag, addPlaceFlags, addWaitFlag, waitOf } from "../cli/place.ts";
import { userAgent } from "../cli/user-agent.ts";

interface Flags {
  readonly agent: string;
  readonly wait: string;
  readonly json?: true;
}

export function mcpImportCommand(): Command {
  const command = new Command("import")
    .description("take a memory file of the reference memory server into the memory; safe to run again")
    .argument("<file>", "the file, one JSON object a line")
    .option("--agent <name>", "who is said to have written it", userAgent());
  return addJsonFlag(addWaitFlag(addPlaceFlags(command)), "print one JSON object").action(mcpImport);
}

async function mcpImport(path: string, flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  checkNoneAbove(command, faults);
  const place = placeOrDefault(command, faults);
  const wait = waitOf(flags, faults);
  const { agent, json } = flags;
  checkText("--agent", agent, faults);
  if (agent === "") faults.add("--agent is empty; name who writes");
  faults.check();
  if (place === undefined) return;
  const file = await contentOf(path);
  await untilInterrupted((signal) =>
    withSpace(place, { writes: true, creates: true, wait, signal }, async (space) => {
      const { importMemory } = await import("@seriatim/gateway");
      const coordinator = createCoordinator(space, { verdictTimeout: wait });
      report(await importMemory({ coordinator, space, agent, file, onSkipped, signal }), json === true);
    }),
  );
}

async function contentOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure("invalid_argument", `the memory file ${path} cannot be read (${reason})`);
  }
}

function onSkipped(line: number, why: string): void {
  say(`line ${line} is skipped: ${why}`);
}

/** @throws Refused when lines were skipped. */
function report(imported: Imported, json: boolean): void {
  const { entities, relations, transactions, skipped } = imported;
  if (json) printJson(imported);
  else
    print(
      `imported ${counted(entities, "entity", "entities")} and ${counted(relations, "relation", "relations")} ` +
        `in ${counted(transactions, "transaction", "transactions")}`,
    );
  if (skipped > 0)
    throw new Refused(`${counted(skipped, "line was", "lines were")} skipped; all others are in the memory`);
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
