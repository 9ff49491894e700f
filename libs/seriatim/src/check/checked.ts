import { statSync } from "node:fs";
import { detectFormat, foreignFormats, type ForeignFormat, type Format } from "@seriatim/checker";
import { Option, type Command } from "commander";
import type { Faults } from "../cli/faults.ts";
import { placeOf, type Place } from "../cli/place.ts";

/** What is checked or exported: a space, or a file that holds a history. */
export type Checked = Place | { readonly kind: "history"; readonly path: string; readonly format: Format };

/** A history that others wrote, with values in place of versions. */
export interface ForeignChecked {
  readonly kind: "history";
  readonly path: string;
  readonly format: ForeignFormat;
}

const formats = ["embedded", "export", ...foreignFormats] as const satisfies readonly Format[];

export function addFormatFlag(command: Command): Command {
  return command.addOption(
    new Option("--format <format>", "what SOURCE is (default: by how it begins)").choices(formats),
  );
}

/**
 * What to check: a file that is named, or the place of a space. Undefined when that has faults.
 * @throws Failure `unreadable` when a file begins like no history that is known.
 */
export async function checkedOf(
  path: string | undefined,
  command: Command,
  faults: Faults,
): Promise<Checked | undefined> {
  const { format } = command.opts<{ readonly format?: Format }>();
  if (path === undefined) {
    if (format !== undefined) faults.add("--format is for a file that is named as SOURCE");
    return placeOf(command, faults);
  }
  for (const name of ["file", "brokers", "space"])
    if (command.getOptionValueSource(name) === "cli") {
      faults.add(`--${name} and the file ${path} exclude each other: one of them says what to check`);
      return undefined;
    }
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    faults.add(`there is no file ${path}; correct the path`);
    return undefined;
  }
  return { kind: "history", path, format: format ?? (await detectFormat(path)) };
}

export function isForeign(checked: Checked): checked is ForeignChecked {
  return checked.kind === "history" && checked.format !== "embedded" && checked.format !== "export";
}
