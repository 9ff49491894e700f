import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the systems allow for a socket's path is 104 to 108 bytes, less what a name that is tried first has more. */
const mostBytes = 90;

/**
 * Where the processes that have `file` open meet: beside it, or, for a path too long for a socket, in a folder of this
 * user's among the temporary files. Undefined when there is no place that only this user can write to.
 */
export function socketPathOf(file: string): string | undefined {
  try {
    const path = realpathSync(file);
    if (process.platform === "win32") return `\\\\.\\pipe\\seriatim-${nameOf(path)}`;
    const beside = `${path}-socket`;
    if (Buffer.byteLength(beside) <= mostBytes) return beside;
    const elsewhere = join(ownFolder(), nameOf(path));
    return Buffer.byteLength(elsewhere) <= mostBytes ? elsewhere : undefined;
  } catch {
    return undefined;
  }
}

/** The same for every process that means the same file. */
function nameOf(path: string): string {
  const { ino } = statSync(path, { bigint: true });
  return createHash("sha256").update(`${ino} ${path}`).digest("hex").slice(0, 20);
}

/** @throws when another user could put a socket there. */
function ownFolder(): string {
  const user = process.getuid?.() ?? -1;
  const folder = join(tmpdir(), `seriatim-${user}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(folder);
  if (uid !== user || (mode & 0o170_077) !== 0o040_000) throw new Error(`${folder} is open to others`);
  return folder;
}
