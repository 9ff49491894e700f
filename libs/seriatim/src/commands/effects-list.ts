import { Command } from "commander";
import { effectStates, isNeeded, type EffectState, type Row } from "@seriatim/effects-worker";
import { Faults } from "../cli/faults.ts";
import { whole } from "../cli/numbers.ts";
import { escapeUnprintable, printJson, printTable } from "../cli/output.ts";
import { placeOf } from "../cli/place.ts";
import { addEffectsFlags, readingEffects, type EffectsFlags } from "../effects/command-parts.ts";
import { effectJson, stateOf } from "../effects/describe.ts";
import { effectName } from "../effects/name.ts";

interface Flags extends EffectsFlags {
  readonly state?: string;
  readonly handler?: string;
  readonly all?: true;
  readonly limit: string;
}

export function effectsListCommand(): Command {
  const command = new Command("list")
    .description("print what is not done, in log order")
    .option("--state <state,...>", `only these: ${effectStates.join(", ")}`)
    .option("--handler <name>", "only those of this handler")
    .option("--all", "what is done too")
    .option("--limit <number>", "at most so many", "100");
  return addEffectsFlags(command, "print one JSON object a line").action(list);
}

async function list(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const limit = whole(flags.limit, "--limit", 1, faults) ?? 0;
  const states = statesOf(flags.state, faults);
  faults.check();
  if (place === undefined) return;
  await readingEffects(place, flags.effects, async (effects, space) => {
    const all = flags.all === true || states?.includes("done") === true;
    const rows: Row[] = [];
    for (const row of effects.rows({ all })) {
      if (!isListed(row, all) || (states !== undefined && !states.some((state) => state === stateOf(row)))) continue;
      if (flags.handler !== undefined && row.definition?.name !== flags.handler) continue;
      if (rows.length >= limit) break;
      rows.push(row);
    }
    if (flags.json === true) for (const row of rows) printJson(effectJson(row, space));
    else printRows(rows);
  });
}

/** What nothing is left to do about is not listed, unless all are asked for. */
function isListed({ definition, progress }: Row, all: boolean): boolean {
  if (all) return true;
  if (definition?.kind === "hold") return definition.isOpen;
  return progress.state !== "done" && isNeeded({ definition, progress });
}

function statesOf(text: string | undefined, faults: Faults): readonly EffectState[] | undefined {
  if (text === undefined) return undefined;
  return text.split(",").flatMap((part) => {
    const state = effectStates.find((each) => each === part.trim());
    if (state === undefined) faults.add(`--state: ${JSON.stringify(part)} is none of ${effectStates.join(", ")}`);
    return state ?? [];
  });
}

function printRows(rows: readonly Row[]): void {
  if (rows.length === 0) return;
  const lines = rows.map((row) => [
    effectName(row),
    stateOf(row),
    escapeUnprintable(row.definition?.name ?? ""),
    escapeUnprintable(row.definition?.kind === "deferred" ? row.definition.lane : "-"),
    escapeUnprintable(row.definition?.intent ?? ""),
    String(row.progress.attempt),
    escapeUnprintable(row.progress.error ?? row.progress.own?.error ?? "-"),
  ]);
  printTable([["effect", "state", "handler", "lane", "intent", "attempts", "last error"], ...lines]);
}
