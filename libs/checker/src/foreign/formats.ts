import { Buffer } from "node:buffer";
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { Failure } from "@seriatim/protocol";
import type { ForeignHistory } from "../history.ts";
import { readAwdit } from "./awdit.ts";
import { readCobra } from "./cobra.ts";
import { readDbcop } from "./dbcop.ts";
import { readElleEdn, readElleJson } from "./elle.ts";
import { readOperationLines } from "./operation-lines.ts";

/** Formats of histories that others write. */
export const foreignFormats = ["elle-edn", "elle-json", "awdit", "operations", "dbcop", "cobra"] as const;
export type ForeignFormat = (typeof foreignFormats)[number];

/** `embedded`: an SQLite file. `export`: JSON Lines of our own. */
export type Format = ForeignFormat | "embedded" | "export";

const beginning = 4096;

/**
 * What a file, or a folder of Cobra's logs, holds; by its first bytes, not by its name.
 * @throws Failure `unreadable` when nothing that is known begins so.
 */
export async function detectFormat(path: string): Promise<Format> {
  const about = await orUnreadable(path, stat(path));
  if (about.isDirectory()) return "cobra";
  const start = await firstBytes(path);
  const format = formatOf(start, about.size);
  if (format !== undefined) return format;
  throw new Failure(
    "unreadable",
    `${path} begins like no history that is known: neither a file of Seriatim nor its export, ` +
      `nor one of ${foreignFormats.join(", ")}`,
  );
}

function formatOf(start: Buffer, size: number): Format | undefined {
  if (start.toString("latin1", 0, 15) === "SQLite format 3") return "embedded";
  const text = start.toString("utf8").replace(/^\uFEFF/, "");
  const lead = text.trimStart();
  if (/^[rw]\(/.test(lead)) return "operations";
  if (/^[rw][ \t]+\S+[ \t]+\S+\s*(?:\n|$)/.test(lead) || /^(?:-{3,}|={3,})\s*\n/.test(lead)) return "awdit";
  if (/^(?:;[^\n]*\n\s*)*[[(]?\s*\{\s*:/.test(lead)) return "elle-edn";
  if (/^\[\s*\{\s*"/.test(lead)) return "elle-json";
  if (/^\{\s*"/.test(lead)) return /^[^\n]*"type"\s*:\s*"(?:invoke|ok|fail|info)"/.test(lead) ? "elle-json" : "export";
  if (start[0] === 0x53 && size >= 9) return "cobra";
  return isDbcop(start, size) ? "dbcop" : undefined;
}

/** Five small numbers, and a string's length. */
function isDbcop(start: Buffer, size: number): boolean {
  if (size < 48 || start.length < 48) return false;
  return (
    [0, 8, 16, 24, 32, 40].every((at) => start.readBigUInt64LE(at) < 0x100000000n) && start.readUInt32LE(40) < size
  );
}

async function firstBytes(path: string): Promise<Buffer> {
  const file = await orUnreadable(path, open(path));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(beginning), 0, beginning, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Reads a foreign history, whole.
 * @throws Failure `unreadable`, with the line or byte, when it is not what its format says.
 */
export async function readForeign(path: string, format: ForeignFormat): Promise<ForeignHistory> {
  const text = (): Promise<string> => orUnreadable(path, readFile(path, "utf8"));
  switch (format) {
    case "elle-edn":
      return readElleEdn(await text(), path);
    case "elle-json":
      return readElleJson(await text(), path);
    case "awdit":
      return readAwdit(await text(), path);
    case "operations":
      return readOperationLines(await text(), path);
    case "dbcop":
      return readDbcop(await orUnreadable(path, readFile(path)), path);
    case "cobra":
      return readCobra(await cobraFiles(path));
  }
}

async function cobraFiles(path: string): Promise<{ name: string; bytes: Buffer }[]> {
  const about = await orUnreadable(path, stat(path));
  if (!about.isDirectory()) return [{ name: basename(path), bytes: await readFile(path) }];
  const names = (await readdir(path)).filter((name) => name.endsWith(".log")).toSorted();
  if (names.length === 0) throw new Failure("unreadable", `${path} holds no *.log: a folder is read as Cobra's logs`);
  return Promise.all(names.map(async (name) => ({ name: join(path, name), bytes: await readFile(join(path, name)) })));
}

async function orUnreadable<Value>(path: string, reading: Promise<Value>): Promise<Value> {
  try {
    return await reading;
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("unreadable", `${path} cannot be read: ${what}`, { cause });
  }
}
