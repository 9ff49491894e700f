import { decodeValue, encodeValue } from "@seriatim/client";
import { Failure } from "@seriatim/protocol";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

class Money {
  amount = 1;
}

function circular(): unknown {
  const value: Record<string, unknown> = { items: [] };
  value["items"] = [{ back: value }];
  return value;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let n = 0; n < depth; n += 1) value = [value];
  return value;
}

const refused: readonly (readonly [unknown, string])[] = [
  [undefined, "value is undefined, which JSON cannot hold; write null, or delete the key or property"],
  [
    { items: [0, 0, 0, { amount: Number.NaN }] },
    "value.items[3].amount is NaN, which JSON cannot hold; write null or a text",
  ],
  [[Number.POSITIVE_INFINITY], "value[0] is Infinity"],
  [{ a: -Infinity }, "value.a is -Infinity"],
  [[1, undefined], "value[1] is undefined"],
  // oxlint-disable-next-line no-sparse-arrays -- a hole is what is tested
  [[1, , 3], "value[1] is undefined"],
  [{ "first name": { f: () => 1 } }, 'value["first name"].f is a function'],
  [Symbol("s"), "value is a symbol"],
  [{ [Symbol("s")]: 1 }, "value has a symbol as the name of a property"],
  [{ n: 10n }, "value.n is a BigInt, which JSON cannot hold; write it as text with String()"],
  [
    { at: new Date(0) },
    "value.at is an instance of Date, which JSON cannot hold; write its toISOString() or getTime()",
  ],
  [new Map([[1, 2]]), "value is an instance of Map, which JSON cannot hold; write Object.fromEntries() of it"],
  [new Set([1]), "value is an instance of Set, which JSON cannot hold; write an array of it"],
  [Promise.resolve(1), "value is an instance of Promise, which JSON cannot hold; await it first"],
  [[new Money()], "value[0] is an instance of Money, which JSON cannot hold; write a plain object"],
  [
    { raw: new Uint8Array(1) },
    "value.raw is an instance of Uint8Array, which JSON cannot hold; write raw bytes as a value",
  ],
  [new ArrayBuffer(1), "value is an instance of ArrayBuffer"],
  [/x/, "value is an instance of RegExp"],
  [circular(), "value.items[0].back refers back to value, and JSON holds no cycles"],
  [nested(201), "is nested more than 200 deep; store the parts under keys of their own"],
  [{ "\ud800": 1 }, 'value has the property "\\ud800", which holds a lone surrogate'],
];

describe("what JSON would silently turn into something else is refused, with its path and a remedy", () => {
  it.each(refused.map(([value, message]) => ({ value, message })))("$message", ({ value, message }) => {
    let error: unknown;
    try {
      encodeValue(value);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(Failure);
    expect(error).toMatchObject({ code: "invalid_argument", message: expect.stringContaining(message) });
  });
});

it("every JSON value comes back as it was", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      // JSON has no negative zero.
      expect(decodeValue(encodeValue(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it("raw bytes come back as they were, and are copied on the way in and out", () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const encoded = encodeValue(bytes);
      expect(decodeValue(encoded)).toEqual(new Uint8Array(bytes));
      expect(encoded[0]).toBe(0);
    }),
  );
  const bytes = Buffer.from([1]);
  const encoded = encodeValue(bytes);
  bytes[0] = 9;
  const decoded = decodeValue(encoded);
  expect(decoded).toEqual(new Uint8Array([1]));
  encoded[1] = 8;
  expect(decoded).toEqual(new Uint8Array([1]));
});

it("holds what JSON holds: undefined properties are left out, the same object may stand twice", () => {
  const shared = { n: 1 };
  const value = Object.assign(Object.create(null) as object, {
    a: undefined,
    b: shared,
    c: [shared],
    d: "\ud800",
    e: null,
  });
  expect(decodeValue(encodeValue(value))).toEqual({ b: { n: 1 }, c: [{ n: 1 }], d: "\ud800", e: null });
  expect(decodeValue(encodeValue(nested(200)))).toEqual(nested(200));
});

it.each([[], [0x7b], [0x22, 0xff, 0x22]])("bytes %j that are no value are unreadable", (...bytes) => {
  expect(() => decodeValue(new Uint8Array(bytes))).toThrow(expect.objectContaining({ code: "unreadable" }));
});
