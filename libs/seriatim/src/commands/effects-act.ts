import { userInfo } from "node:os";
import { Command, Option } from "commander";
import type { Row } from "@seriatim/effects-worker";
import type { EffectAct } from "@seriatim/protocol";
import { checkText } from "../cli/arguments.ts";
import { Refused } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { print, printJson } from "../cli/output.ts";
import { placeOf } from "../cli/place.ts";
import {
  addEffectsFlags,
  effectArgument,
  foundEffect,
  namedEffect,
  readingEffects,
  type EffectsFlags,
} from "../effects/command-parts.ts";
import { effectJson, stateOf } from "../effects/describe.ts";
import { effectName } from "../effects/name.ts";

interface Flags extends EffectsFlags {
  readonly who: string;
  readonly why: string;
}

const does: Readonly<Record<EffectAct, string>> = {
  retry: "have a dead letter, or an effect whose outcome is unknown, called again",
  resolve: "say that an effect is done, as you have seen",
  drop: "say that an effect is never to be called",
};

export function effectsActCommand(act: EffectAct): Command {
  const command = new Command(act)
    .description(does[act])
    .argument("<effect>", effectArgument)
    .requiredOption("--why <text>", "the reason: it stands in the log")
    .addOption(new Option("--who <name>", "who decides: it stands in the log").default(userName()));
  return addEffectsFlags(command).action((name: string, flags: Flags, self: Command) => decide(act, name, flags, self));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the system's list, as in some containers.
    return "unknown";
  }
}

async function decide(act: EffectAct, name: string, flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const named = namedEffect(name, faults);
  const { who, why } = flags;
  for (const [flag, text] of Object.entries({ "--who": who, "--why": why })) {
    checkText(flag, text, faults);
    if (text.trim() === "" || text.length > longestText)
      faults.add(`${flag} is empty or longer than ${longestText} characters`);
  }
  faults.check();
  if (place === undefined || named === undefined) return;
  await readingEffects(place, flags.effects, async (effects, space) => {
    const before = foundEffect(effects, named);
    checkActs(act, before);
    await effects.decide(before, { act, who, why });
    const after = effects.get(before) ?? before;
    if (flags.json === true) printJson(effectJson(after, space));
    else print(`${effectName(after)} is ${stateOf(after)}`);
    if (after.progress.decided?.why !== why || after.progress.decided.who !== who)
      throw new Refused(`it came to be ${stateOf(after)} before this was decided, and stays so`);
  });
}

const longestText = 1_000;

/** @throws Refused when the act would change nothing. */
function checkActs(act: EffectAct, row: Row): void {
  const { definition } = row;
  if (definition?.kind === "hold")
    throw new Refused(
      `${effectName(row)} is a hold, whose call its agent made: decide about its inverse, ${effectName({ ...row, side: "undo" })}, once there is one`,
    );
  const state = stateOf(row);
  if (state === "done") throw new Refused(`${effectName(row)} is done, and stays so`);
  if (act === "retry" && state === "claimed")
    throw new Refused(`${effectName(row)} is being called by a worker: wait for what comes of it`);
  if (act === "drop" && state === "dropped") throw new Refused(`${effectName(row)} is dropped already`);
}
