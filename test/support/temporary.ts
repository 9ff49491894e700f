import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "seriatim-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder that goes with all tests of the file that asks for it. */
export function folderOfFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "seriatim-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A path, at which nothing is yet, in a folder that goes with the test. */
export function temporaryFile(name = "state.db"): string {
  return join(temporaryFolder(), name);
}
