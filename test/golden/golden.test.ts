import { currentSchemas, fromBytes, hexOf, sha256, type Bytes } from "@seriatim/protocol";
import { expect, it } from "vitest";
import { schemas } from "../../libs/protocol/src/schemas.ts";
import { codec, log, verdicts } from "./log.ts";

/*
 * What stands in logs today must be read, and judged alike, for good. When one of these fails, the bytes of a record
 * or a rule have changed: that takes a new schema or rules version, admitted by the genesis of new spaces, and not an
 * update of the file.
 */

function hex(bytes: Uint8Array): string {
  return (Buffer.from(bytes).toString("hex").match(/.{1,120}/g) ?? []).join("\n  ");
}

/** Keys, values and arguments as text. */
function legible(name: string, value: unknown): unknown {
  if (name === "key") return fromBytes(value as Bytes);
  if (name !== "value" && name !== "result" && name !== "arguments") return value;
  return value === null ? null : Buffer.from(value as { data: number[] } as never).toString("utf8");
}

it("schemas keep their fingerprints", async () => {
  const lines = currentSchemas().map(({ kind, text }) => {
    const fingerprint = schemas[kind].header.subarray(2).toString("hex");
    return `${kind} fingerprint ${fingerprint} sha256 ${hexOf(sha256(Buffer.from(text)))}\n`;
  });
  lines.push(`genesis fingerprint ${schemas.genesis.header.subarray(2).toString("hex")}\n`);
  await expect(lines.join("")).toMatchFileSnapshot("schemas.txt");
});

it("records keep their bytes", async () => {
  const text = log.map(({ what, bytes, time }) => `${what}, at ${time}\n  ${hex(bytes)}\n`).join("");
  await expect(text).toMatchFileSnapshot("records.txt");
});

it("a fixed log gets the same verdicts, to the byte", async () => {
  const text = verdicts().map((bytes, offset) => {
    const outcome = codec.decodeVerdict(bytes)?.outcome;
    const { kind, ...rest } = outcome ?? { kind: "unreadable" };
    const detail = kind === "genesis" ? "" : ` ${JSON.stringify(rest, legible)}`;
    return `${offset} ${log[offset]?.what}: ${kind}${detail}\n  ${hex(bytes)}\n`;
  });
  await expect(text.join("")).toMatchFileSnapshot("verdicts.txt");
});
