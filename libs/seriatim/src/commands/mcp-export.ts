import { writeFile, rename, rm } from "node:fs/promises";
import { Command } from "commander";
import { createCoordinator } from "@seriatim/client";
import { Failure } from "@seriatim/protocol";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { withSpace } from "../cli/open-space.ts";
import { checkNoneAbove } from "../cli/parent-flags.ts";
import { addPlaceFlags, addWaitFlag, placeOf, waitOf } from "../cli/place.ts";

export function mcpExportCommand(): Command {
  const command = new Command("export")
    .description("write the memory as a file that the reference memory server reads")
    .argument("[file]", "the file to write, replaced when it is there (default: stdout)");
  return addWaitFlag(addPlaceFlags(command)).action(mcpExport);
}

async function mcpExport(path: string | undefined, flags: { readonly wait: string }, command: Command): Promise<void> {
  const faults = new Faults();
  checkNoneAbove(command, faults);
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  faults.check();
  if (place === undefined) return;
  await untilInterrupted((signal) =>
    withSpace(place, { writes: false, wait, signal }, async (space) => {
      const { exportMemory } = await import("@seriatim/gateway");
      const text = await exportMemory(createCoordinator(space), space);
      if (path === undefined) process.stdout.write(text);
      else await replace(path, text);
    }),
  );
}

/** Whole or not at all. */
async function replace(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure("read_only", `the memory cannot be written to ${path} (${reason})`);
  }
}
