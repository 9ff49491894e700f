import { Failure, fromBytes, keyFault, toKey, type Key, type Limits } from "@seriatim/protocol";
import { encodeValue } from "./values.ts";

/** @throws Failure `invalid_argument` when it is no key, or longer than the space allows. */
export function keyWithin(text: string, { keyBytes }: Limits): Key {
  const key = toKey(text);
  const fault = keyFault(key, keyBytes);
  if (fault !== undefined) throw new Failure("invalid_argument", `key ${JSON.stringify(text)} ${fault}`);
  return key;
}

/** @throws Failure `invalid_argument` when it is no value, or longer as encoded than the space allows. */
export function valueWithin(key: Key, value: unknown, { valueBytes }: Limits): Uint8Array {
  if (value === undefined)
    throw new Failure("invalid_argument", `value of ${named(key)} is undefined; to remove a key, delete it`);
  const bytes = encodeValue(value);
  if (bytes.length > valueBytes)
    throw new Failure(
      "invalid_argument",
      `value of ${named(key)} is ${bytes.length} bytes as encoded; at most ${valueBytes} are allowed in this space ` +
        "(valueBytes): split it over several keys, or store it elsewhere and write a reference",
    );
  return bytes;
}

/** The latest time that a record holds, in ms since 1970: whatever is later is never, and the last of all dates is. */
const never = 2 ** 52 - 1;

/** In ms since 1970. @throws Failure `invalid_argument`. */
export function timeOf(time: Date | number, name: string): number {
  const value = Number(time);
  if (Number.isSafeInteger(value)) return Math.max(-never, Math.min(never, value));
  throw new Failure("invalid_argument", `${name} is ${String(time)}; it is a Date or whole ms since 1970`);
}

function named(key: Key): string {
  return JSON.stringify(fromBytes(key));
}
