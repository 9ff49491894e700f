import { Failure, fromBytes, type Key } from "@seriatim/protocol";

/**
 * How values stand in the log: JSON as UTF-8, or raw bytes behind a mark that no JSON text starts with.
 *
 * Strict where `JSON.stringify` is lenient: what it would silently turn into something else (NaN into null, a Map into
 * {}) is refused, for another agent would read that and act on it. Properties that are undefined are left out and -0 is 0,
 * as it does.
 */

const rawMark = 0x00;
const maximalDepth = 200;
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * @param what names the value in messages.
 * @throws Failure `invalid_argument` naming the path of what cannot be held, and a remedy.
 */
export function encodeValue(value: unknown, what = "value"): Uint8Array {
  if (value instanceof Uint8Array) {
    const bytes = new Uint8Array(value.length + 1);
    bytes[0] = rawMark;
    bytes.set(value, 1);
    return bytes;
  }
  return encodeJson(value, what);
}

/** As {@link encodeValue}, but for raw bytes, which JSON cannot hold. */
export function encodeJson(value: unknown, what: string): Uint8Array {
  check(value, { name: what, within: undefined, value, depth: 0 });
  return Buffer.from(JSON.stringify(value), "utf8");
}

/**
 * @param key of the value, for messages.
 * @throws Failure `unreadable` when the bytes are neither; somebody wrote them without this library.
 */
export function decodeValue(bytes: Uint8Array, key?: Key): unknown {
  if (bytes[0] === rawMark) return new Uint8Array(bytes.subarray(1));
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const what = key === undefined ? "a value" : `the value of ${JSON.stringify(fromBytes(key))}`;
    throw new Failure(
      "unreadable",
      `${what}, ${bytes.length} bytes long, is neither JSON nor marked as raw bytes: it was written by other means; ` +
        "write it again",
      { cause: error },
    );
  }
}

/** JSON with properties in a fixed order: equal texts are equal values. */
export function canonicalJson(value: unknown, what: string): string {
  check(value, { name: what, within: undefined, value, depth: 0 });
  return JSON.stringify(value, (_, inner: unknown) => (isObject(inner) ? sorted(inner) : inner));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Where in a value something stands; linked upwards, so that the path is only written out when it is needed. */
interface Place {
  readonly name: string | number;
  readonly within: Place | undefined;
  readonly value: unknown;
  readonly depth: number;
}

function check(value: unknown, place: Place): void {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) throw unfit(place, `is ${value}, which JSON cannot hold`, "write null or a text");
      return;
    case "undefined":
      throw unfit(place, "is undefined, which JSON cannot hold", "write null, or delete the key or property");
    case "bigint":
      throw unfit(place, "is a BigInt, which JSON cannot hold", "write it as text with String()");
    case "function":
    case "symbol":
      throw unfit(place, `is a ${typeof value}, which JSON cannot hold`, "leave it out");
    case "object":
      if (value !== null) checkObject(value, place);
  }
}

function checkObject(value: object, place: Place): void {
  checkNesting(value, place);
  if (Array.isArray(value)) {
    // By index, since iteration by methods would pass over holes.
    for (let index = 0; index < value.length; index += 1) check(value[index], inside(place, index, value[index]));
    return;
  }
  checkPlain(value, place);
  for (const [name, inner] of Object.entries(value)) {
    if (!name.isWellFormed())
      throw unfit(place, `has the property ${JSON.stringify(name)}, which holds a lone surrogate`, "use Unicode text");
    if (inner !== undefined) check(inner, inside(place, name, inner));
  }
}

function inside(within: Place, name: string | number, value: unknown): Place {
  return { name, within, value, depth: within.depth + 1 };
}

function checkNesting(value: object, place: Place): void {
  if (place.depth >= maximalDepth)
    throw unfit(place, `is nested more than ${maximalDepth} deep`, "store the parts under keys of their own");
  for (let above = place.within; above !== undefined; above = above.within)
    if (above.value === value)
      throw unfit(place, `refers back to ${pathOf(above)}, and JSON holds no cycles`, "refer to it by a key or an id");
}

function checkPlain(value: object, place: Place): void {
  if (Object.getOwnPropertySymbols(value).length > 0)
    throw unfit(place, "has a symbol as the name of a property, which JSON cannot hold", "name it by a text");
  const prototype: unknown = Object.getPrototypeOf(value);
  // One step below null is Object.prototype, also that of another realm.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return;
  const name = value.constructor.name || "class without a name";
  throw unfit(place, `is an instance of ${name}, which JSON cannot hold`, remedies[name] ?? "write a plain object");
}

const remedies: Readonly<Partial<Record<string, string>>> = {
  Date: "write its toISOString() or getTime()",
  Map: "write Object.fromEntries() of it",
  Set: "write an array of it",
  Promise: "await it first",
  Uint8Array: "write raw bytes as a value of its own, or as text in base64",
  Buffer: "write raw bytes as a value of its own, or as text in base64",
  ArrayBuffer: "write a Uint8Array of it",
  RegExp: "write its source",
  Error: "write its message",
};

function unfit(place: Place, fault: string, remedy: string): Failure {
  return new Failure("invalid_argument", `${pathOf(place)} ${fault}; ${remedy}`);
}

const identifier = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** As JavaScript would address it: `value.items[3]["first name"]`. */
function pathOf({ name, within }: Place): string {
  if (within === undefined) return String(name);
  if (typeof name === "number") return `${pathOf(within)}[${name}]`;
  return identifier.test(name) ? `${pathOf(within)}.${name}` : `${pathOf(within)}[${JSON.stringify(name)}]`;
}
