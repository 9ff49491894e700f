import type { Command } from "commander";
import type { Faults } from "./faults.ts";

/** A flag before the name of a command below another would be taken for the other's, and be passed over in silence. */
export function checkNoneAbove(command: Command, faults: Faults): void {
  const { parent } = command;
  if (parent === null) return;
  for (const option of parent.options)
    if (parent.getOptionValueSource(option.attributeName()) === "cli")
      faults.add(
        `${option.long ?? option.flags} stands before ${command.name()}; give it after: ${command.name()} ${option.flags}`,
      );
}
