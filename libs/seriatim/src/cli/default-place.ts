import type { Command } from "commander";
import type { Faults } from "./faults.ts";
import { placeOf, type Place, type PlaceFlags } from "./place.ts";

/** The file of a space where none is named and the command makes one. */
export const defaultFile = "state.db";

/** As {@link placeOf}, with {@link defaultFile} in the working directory where no space is named. */
export function placeOrDefault(command: Command, faults: Faults): Place | undefined {
  const { file = "", brokers = "", space = "" } = command.opts<PlaceFlags>();
  if (file === "" && brokers === "" && space === "") return { kind: "file", path: defaultFile };
  return placeOf(command, faults);
}
