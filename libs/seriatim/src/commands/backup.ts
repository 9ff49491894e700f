import { SqliteFile } from "@seriatim/log";
import { Command } from "commander";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { openFile } from "../cli/open-space.ts";
import { print } from "../cli/output.ts";
import { addPlaceFlags, placeOf } from "../cli/place.ts";

export function backupCommand(): Command {
  const command = new Command("backup")
    .description("embedded: copy a space, whole and as of one moment, into a new file, while agents go on working")
    .argument("<path>", "the new file");
  return addPlaceFlags(command).action(backup);
}

async function backup(path: string, _flags: object, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  if (place?.kind === "kafka")
    faults.add("a space on Kafka is kept by its topics, and its views are folded anew; see docs/operations.md");
  faults.check();
  if (place?.kind !== "file") return;
  await untilInterrupted(async () => {
    await checkSpace(place.path);
    const file = SqliteFile.open(place.path, { create: false });
    try {
      file.copyInto(path);
    } finally {
      file.close();
    }
    print(`copied: ${path}; look whether it is whole with: seriatim verify --file ${path}`);
  });
}

/** @throws Failure when there is no space in the file. */
async function checkSpace(path: string): Promise<void> {
  await (await openFile(path, { writes: false })).close();
}
