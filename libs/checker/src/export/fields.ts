import type { Bytes, Offset } from "@seriatim/protocol";
import { bufferFrom, keyFrom } from "./text-bytes.ts";

/* Fields of a line that anybody may have written. */

export type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with a line; whoever reads it makes a broken item of that. */
export class LineFault extends Error {}

const none: readonly never[] = [];

export function listField<T>(fields: Fields, name: string, read: (entry: readonly unknown[]) => T): readonly T[] {
  const value = fields[name];
  if (value === undefined) return none;
  if (!Array.isArray(value)) throw new LineFault(`${name} is no list`);
  return value.map((entry: unknown) => {
    if (!Array.isArray(entry)) throw new LineFault(`${name} has an entry that is no list`);
    return read(entry);
  });
}

export function textField(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || !value.isWellFormed()) throw new LineFault(`${name} is no text`);
  return value;
}

export function wholeField(fields: Fields, name: string, usual?: number, least = 0): number {
  const value = fields[name] ?? usual;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw new LineFault(`${name} is no whole number`);
}

/** A list of whole numbers; an empty one where it is missing. */
export function wholesField(fields: Fields, name: string): readonly number[] {
  const value = fields[name];
  if (value === undefined) return none;
  if (!Array.isArray(value)) throw new LineFault(`${name} is no list`);
  return value.map((entry: unknown) => versionEntry(entry, name));
}

export function versionEntry(value: unknown, name: string): Offset {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new LineFault(`${name} has an entry without its version`);
}

export function keyEntry(value: unknown, name: string): Bytes {
  const found = keyFrom(value);
  if (found === undefined) throw new LineFault(`${name} has an entry without its key`);
  return found;
}

export function bytesEntry(value: unknown, name: string): Uint8Array {
  const found = bufferFrom(value);
  if (found === undefined) throw new LineFault(`${name} holds what is neither text nor base64`);
  return found;
}
