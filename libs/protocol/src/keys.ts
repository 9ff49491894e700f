import { Buffer, isUtf8 } from "node:buffer";
import { asBuffer } from "./buffers.ts";
import { Failure } from "./failure.ts";

declare const byteString: unique symbol;

/** Bytes as a latin1 string, one character a byte, for which `<` is byte order. */
export type Bytes = string & { readonly [byteString]: true };

/**
 * A key: `partition key/rest` in UTF-8, as {@link Bytes}. Compared with `<` it is in the order of its UTF-8 bytes,
 * which is SQLite's order too; the text it stands for is not (JavaScript compares UTF-16 units).
 */
export type Key = Bytes;

/** A half-open range of keys, `[from, to)`, in byte order. Bounds need not be well-formed UTF-8. */
export interface KeyRange {
  readonly from: Bytes;
  readonly to: Bytes;
}

/** A key or a range's bound may be one byte longer than a key, as in `last + \0`. */
export const maximalKeyBytes = 512;

const slash = "/";
const nonAscii = /[^\0-\x7f]/;

export function toBytes(text: string): Bytes {
  return (nonAscii.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text) as Bytes;
}

export function fromBytes(bytes: Bytes): string {
  return nonAscii.test(bytes) ? Buffer.from(bytes, "latin1").toString("utf8") : bytes;
}

/** The bytes themselves, for SQLite and for the wire. */
export function bufferOf(bytes: Bytes): Buffer {
  return Buffer.from(bytes, "latin1");
}

export function bytesOf(buffer: Uint8Array): Bytes {
  return asBuffer(buffer).toString("latin1") as Bytes;
}

/** What is wrong with a key, as a clause that follows the key's name; undefined when it is a key. */
export function keyFault(key: Bytes, maximalBytes: number = maximalKeyBytes): string | undefined {
  if (key.length > maximalBytes) return `is ${key.length} bytes long in UTF-8; at most ${maximalBytes} are allowed`;
  const at = key.indexOf(slash);
  if (at <= 0 || at === key.length - 1)
    return 'is not of the form "<partition key>/<rest>", as in "policy/budget", with neither part empty';
  if (key.includes("\0")) return "holds the character U+0000, which no key may";
  if (nonAscii.test(key) && !isUtf8(bufferOf(key))) return "is not well-formed UTF-8";
  return undefined;
}

/**
 * The key that `text` names.
 * @throws Failure `invalid_argument`, saying what is wrong with it.
 */
export function toKey(text: string): Key {
  if (typeof text !== "string") throw new Failure("invalid_argument", `a key is a string, not ${typeof text}`);
  if (!text.isWellFormed())
    throw new Failure(
      "invalid_argument",
      `key ${JSON.stringify(text)} holds a lone surrogate, which is no Unicode text`,
    );
  const key = toBytes(text);
  const fault = keyFault(key);
  if (fault !== undefined) throw new Failure("invalid_argument", `key ${JSON.stringify(abbreviate(text))} ${fault}`);
  return key;
}

function abbreviate(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/** The first segment of a key: all keys that share it stand in one partition, in one order. */
export function partitionKeyOf(key: Bytes): Bytes {
  const at = key.indexOf(slash);
  return (at < 0 ? key : key.slice(0, at)) as Bytes;
}

/** The first byte string above everything that starts with `prefix`; undefined when there is none. */
export function byteSuccessor(prefix: Bytes): Bytes | undefined {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end -= 1;
  if (end === 0) return undefined;
  return (prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1)) as Bytes;
}

/** The least byte string above `key`. */
export function justAfter(key: Bytes): Bytes {
  return (key + "\0") as Bytes;
}

/** Every key that starts with `prefix`. */
export function prefixRange(prefix: string): KeyRange {
  if (!prefix.isWellFormed())
    throw new Failure(
      "invalid_argument",
      `prefix ${JSON.stringify(prefix)} holds a lone surrogate, which is no Unicode text`,
    );
  const from = toBytes(prefix);
  return { from, to: byteSuccessor(from) ?? highestBound };
}

/** Above every key: no UTF-8 text holds the byte 0xff. */
export const highestBound = "\xff" as Bytes;

export function inRange(key: Bytes, range: KeyRange): boolean {
  return key >= range.from && key < range.to;
}

/**
 * The partition key that holds the whole of `range`, or undefined when the range reaches over several.
 * `[a/x, a/y)` and all of `a/` lie in `a`.
 */
export function partitionKeyOfRange(range: KeyRange): Bytes | undefined {
  const at = range.from.indexOf(slash);
  if (at <= 0) return undefined;
  const all = range.from.slice(0, at + 1) as Bytes;
  const end = byteSuccessor(all);
  return end !== undefined && range.to <= end ? (range.from.slice(0, at) as Bytes) : undefined;
}
