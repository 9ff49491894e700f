import {
  byteSuccessor,
  fromBytes,
  highestBound,
  inRange,
  keyFault,
  partitionKeyOf,
  partitionKeyOfRange,
  prefixRange,
  toBytes,
  toKey,
} from "@seriatim/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const text = fc
  .string({ unit: "grapheme", maxLength: 20 })
  .filter((value) => value.isWellFormed() && !value.includes("\0"));
const segment = text.filter((value) => value !== "" && !value.includes("/"));
const key = fc.tuple(segment, segment).map(([first, rest]) => `${first}/${rest}`);

describe("keys", () => {
  it("are ordered by their UTF-8 bytes, where UTF-16 order differs too", () => {
    const [beyond, within] = ["a/\u{1F600}", "a/\uFF5E"] as [string, string];
    expect(beyond < within).toBe(true);
    expect(toKey(beyond) > toKey(within)).toBe(true);
    fc.assert(
      fc.property(key, key, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
        const [x, y] = [toKey(a), toKey(b)];
        expect(x < y ? -1 : x > y ? 1 : 0).toBe(expected);
        expect(fromBytes(x)).toBe(a);
      }),
    );
  });

  it.each([
    ["budget", "of the form"],
    ["/budget", "of the form"],
    ["policy/", "of the form"],
    ["a/b\0c", "U+0000"],
    ["a/\uD800", "lone surrogate"],
    [`a/${"x".repeat(511)}`, "513 bytes"],
    [`a/${"é".repeat(256)}`, "514 bytes"],
  ])("refuses %j", (bad, why) => {
    expect(() => toKey(bad)).toThrow(
      expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(why) }),
    );
  });

  it("takes a key of 512 bytes, and names malformed UTF-8", () => {
    expect(toKey(`a/${"x".repeat(510)}`)).toHaveLength(512);
    expect(keyFault("a/\xff" as ReturnType<typeof toBytes>)).toContain("well-formed");
    expect(keyFault("a/\xed\xa0\x80" as ReturnType<typeof toBytes>)).toContain("well-formed");
  });

  it("know their partition key", () => {
    expect(fromBytes(partitionKeyOf(toKey("größe/a/b")))).toBe("größe");
    expect(partitionKeyOfRange(prefixRange("policy/"))).toBe("policy");
    expect(partitionKeyOfRange(prefixRange("policy/x"))).toBe("policy");
    expect(partitionKeyOfRange(prefixRange("policy"))).toBeUndefined();
    expect(partitionKeyOfRange({ from: toBytes("a/x"), to: toBytes("b/x") })).toBeUndefined();
  });
});

describe("ranges", () => {
  it("of a prefix hold what starts with it and nothing else", () => {
    fc.assert(
      fc.property(text, key, (prefix, candidate) => {
        const starts = Buffer.from(candidate).subarray(0, Buffer.byteLength(prefix)).equals(Buffer.from(prefix));
        expect(inRange(toKey(candidate), prefixRange(prefix))).toBe(starts);
      }),
    );
  });

  it("have the byte successor as their end", () => {
    expect(byteSuccessor(toBytes("a"))).toBe("b");
    expect(byteSuccessor("a\xff\xff" as ReturnType<typeof toBytes>)).toBe("b");
    expect(byteSuccessor("\xff" as ReturnType<typeof toBytes>)).toBeUndefined();
    expect(prefixRange("").to).toBe(highestBound);
  });
});
