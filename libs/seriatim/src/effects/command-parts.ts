import { EffectsReading, type Row } from "@seriatim/effects-worker";
import type { Bytes } from "@seriatim/protocol";
import type { Command } from "commander";
import { addEffectsFileFlag } from "../cli/effects-flags.ts";
import { Refused } from "../cli/exit-codes.ts";
import type { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { addJsonFlag, addPlaceFlags, type Place } from "../cli/place.ts";
import { effectName, parseEffectName, type NamedEffect } from "./name.ts";
import { withEffects } from "./working.ts";

/** What the commands about effects share. */
export interface EffectsFlags {
  readonly effects?: string;
  readonly json?: true;
}

export const effectArgument = "as `effects list` names it, such as 0@42#0";

export function addEffectsFlags(command: Command, json?: string): Command {
  return addJsonFlag(addEffectsFileFlag(addPlaceFlags(command)), json);
}

export function namedEffect(name: string, faults: Faults): NamedEffect | undefined {
  const named = parseEffectName(name);
  if (named === undefined)
    faults.add(`${JSON.stringify(name)} names no effect; see \`effects list\` for names such as 0@42#0`);
  return named;
}

/** @throws Refused when there is none. */
export function foundEffect(effects: EffectsReading, { partition, offset, index, side }: NamedEffect): Row {
  const row = effects.at(partition, offset).find((each) => each.index === index && each.side === side);
  if (row !== undefined) return row;
  throw new Refused(
    `there is no effect ${effectName({ partition, offset, index, side })}: the intent there committed none, or did not commit`,
  );
}

/** Reads what the logs say of the effects by now. */
export async function readingEffects(
  place: Place,
  path: string | undefined,
  work: (effects: EffectsReading, space: Bytes) => Promise<void>,
): Promise<void> {
  await untilInterrupted((signal) =>
    withEffects(place, path, async (parts) => {
      await work(await EffectsReading.open({ ...parts, signal }), parts.codec.genesis.space);
    }),
  );
}
