import { Command } from "commander";
import { checkKey } from "../cli/arguments.ts";
import { Faults } from "../cli/faults.ts";
import { placeOf, waitOf } from "../cli/place.ts";
import { addWriteFlags, conditionOf, write, type WriteFlags } from "../cli/write.ts";

export function deleteCommand(): Command {
  const command = new Command("delete")
    .description("delete a key, and print the version that deleted it; an absent key is no error")
    .argument("<key>", 'as in "policy/budget"');
  return addWriteFlags(command).action(deleteKey);
}

async function deleteKey(key: string, flags: WriteFlags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  const condition = conditionOf(flags, faults);
  checkKey(key, faults);
  faults.check();
  if (place === undefined) return;
  const apply: Parameters<typeof write>[3]["apply"] = (tx) => tx.delete(key, { blind: flags.blind === true });
  await write(place, wait, flags, { key, agent: flags.agent, condition, apply });
}
