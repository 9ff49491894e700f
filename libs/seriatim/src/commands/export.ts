import { once } from "node:events";
import { Command } from "commander";
import { exportLines } from "@seriatim/checker";
import { checkedOf, isForeign } from "../check/checked.ts";
import { openSource } from "../check/open-source.ts";
import { addSliceFlags, logsOf, sliceOf, type SliceFlags } from "../check/slice.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { addPlaceFlags } from "../cli/place.ts";

/** `seriatim export`: a space, or a part of it, as JSON Lines. */
export function exportCommand(): Command {
  const command = new Command("export").description(
    "print a space's logs, or a part of them, as JSON Lines that `seriatim check` reads; see docs/export.md",
  );
  return addPlaceFlags(addSliceFlags(command.argument("[source]", "an embedded file, in place of --file"))).action(
    write,
  );
}

async function write(path: string | undefined, flags: SliceFlags, command: Command): Promise<void> {
  const faults = new Faults();
  const checked = await checkedOf(path, command, faults);
  const [slice, logs] = [sliceOf(flags, faults), logsOf(flags, faults)];
  if (checked !== undefined && isForeign(checked))
    faults.add(`${checked.path} is a history in the format ${checked.format}: there is no log of it to export`);
  faults.check();
  if (checked === undefined || isForeign(checked)) return;
  await untilInterrupted(async (signal) => {
    const source = await openSource(checked, { slice, logs });
    try {
      for await (const lines of exportLines(source, signal)) await writeOut(`${lines.join("\n")}\n`);
    } finally {
      await source.close();
    }
  });
}

async function writeOut(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
