import { Command } from "commander";
import { effectActs } from "@seriatim/protocol";
import { Faults } from "../cli/faults.ts";
import { escapeUnprintable, printJson, printTable } from "../cli/output.ts";
import { placeOf } from "../cli/place.ts";
import {
  addEffectsFlags,
  effectArgument,
  foundEffect,
  namedEffect,
  readingEffects,
  type EffectsFlags,
} from "../effects/command-parts.ts";
import { effectDetailJson } from "../effects/describe.ts";
import { effectsActCommand } from "./effects-act.ts";
import { effectsListCommand } from "./effects-list.ts";

export function effectsCommand(): Command {
  const command = new Command("effects").description("what is called outside: look at it, and decide what is stuck");
  const show = new Command("show").description("print all that is known of an effect");
  command.addCommand(effectsListCommand());
  command.addCommand(addEffectsFlags(show.argument("<effect>", effectArgument)).action(showEffect));
  for (const act of effectActs) command.addCommand(effectsActCommand(act));
  return command;
}

async function showEffect(name: string, flags: EffectsFlags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const named = namedEffect(name, faults);
  faults.check();
  if (place === undefined || named === undefined) return;
  await readingEffects(place, flags.effects, async (effects, space) => {
    const detail = effectDetailJson(foundEffect(effects, named), space);
    if (flags.json === true) printJson(detail);
    else
      printTable(
        Object.entries(detail).map(([label, value]) => [
          label,
          typeof value === "string" ? escapeUnprintable(value) : escapeUnprintable(JSON.stringify(value)),
        ]),
      );
  });
}
