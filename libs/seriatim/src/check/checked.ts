import { open } from "node:fs/promises";
import type { Command } from "commander";
import type { Faults } from "../cli/faults.ts";
import { placeOf } from "../cli/place.ts";
import type { Checked } from "./open-source.ts";

/** What to check: a file that is named, or the place of a space. Undefined when that has faults. */
export async function checkedOf(
  path: string | undefined,
  command: Command,
  faults: Faults,
): Promise<Checked | undefined> {
  if (path === undefined) return placeOf(command, faults);
  for (const name of ["file", "brokers", "space"])
    if (command.getOptionValueSource(name) === "cli") {
      faults.add(`--${name} and the file ${path} exclude each other: one of them says what to check`);
      return undefined;
    }
  const format = await formatOf(path, faults);
  return format === undefined ? undefined : { kind: "history", path, format };
}

const sqlite = "SQLite format 3\0";

async function formatOf(path: string, faults: Faults): Promise<"embedded" | "export" | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(sqlite.length), 0, sqlite.length, 0);
      return buffer.toString("latin1", 0, bytesRead) === sqlite ? "embedded" : "export";
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    faults.add(code === "ENOENT" ? `there is no file ${path}; correct the path` : `${path} cannot be read: ${message}`);
    return undefined;
  }
}
