import { Command } from "commander";
import { nameOf } from "../advances.ts";
import { exitCodes } from "../cli/exit-codes.ts";
import { Faults } from "../cli/faults.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { observe } from "../cli/observe.ts";
import { print, printJson, printTable } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, addWaitFlag, placeOf, waitOf } from "../cli/place.ts";
import { verify, type Verified } from "../verification/verify.ts";

interface Flags {
  readonly json?: true;
  readonly wait: string;
}

export function verifyCommand(): Command {
  const command = new Command("verify").description(
    "fold the verdicts anew and compare: the chain, each intent's digest, every write and value in the view",
  );
  return addJsonFlag(addWaitFlag(addPlaceFlags(command)), "print one JSON object").action(perform);
}

async function perform(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const wait = waitOf(flags, faults);
  faults.check();
  if (place === undefined) return;
  await untilInterrupted((signal) =>
    observe(place, { wait, signal }, async (space) => {
      const found = await verify(space, space.view, signal);
      if (flags.json === true) printJson({ holds: found.every(isSound), partitions: found });
      else show(found);
      process.exitCode = found.every(isSound) ? exitCodes.done : exitCodes.no;
    }),
  );
}

function isSound({ faults }: Verified): boolean {
  return faults.length === 0;
}

function show(found: readonly Verified[]): void {
  printTable([
    ["partition", "applied", "view and log", "chain"],
    ...found.map(({ partition, applied, chain, faults }) => [
      String(partition),
      applied < 0 ? "nothing" : nameOf({ partition, offset: applied }),
      faults.length === 0 ? "agree" : "DIFFER",
      `${chain.slice(0, 12)}…`,
    ]),
  ]);
  for (const { partition, faults } of found) for (const fault of faults) print(`partition ${partition}: ${fault}`);
}
