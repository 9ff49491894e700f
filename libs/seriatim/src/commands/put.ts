import { Command } from "commander";
import { checkKey, parseValue } from "../cli/arguments.ts";
import { Faults } from "../cli/faults.ts";
import { placeOf, waitOf } from "../cli/place.ts";
import { addWriteFlags, conditionOf, write, type WriteFlags } from "../cli/write.ts";

export function putCommand(): Command {
  const command = new Command("put")
    .description("write a value, and print the version that wrote it")
    .argument("<key>", 'as in "policy/budget"')
    .argument("<json>", `the value, as JSON; a text with its quotes: '"text"'`);
  return addWriteFlags(command).action(put);
}

async function put(key: string, json: string, flags: WriteFlags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  const condition = conditionOf(flags, faults);
  checkKey(key, faults);
  const value = parseValue(json, faults);
  faults.check();
  if (place === undefined) return;
  const apply: Parameters<typeof write>[3]["apply"] = (tx) => tx.put(key, value, { blind: flags.blind === true });
  await write(place, wait, flags, { key, agent: flags.agent, condition, apply });
}
