import { isUtf8 } from "node:buffer";
import { bufferOf, bytesOf, toBytes, type Bytes } from "@seriatim/protocol";

/** Bytes as an export has them: the text that they are in UTF-8, or in base64 where they are none. */
export type TextBytes = string | { readonly base64: string };

export function textOf(bytes: Uint8Array): TextBytes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? buffer.toString("utf8") : { base64: buffer.toString("base64") };
}

export function keyTextOf(bytes: Bytes): TextBytes {
  return textOf(bufferOf(bytes));
}

/** Undefined when it is not of that form. */
export function bufferFrom(text: unknown): Buffer | undefined {
  if (typeof text === "string") return text.isWellFormed() ? Buffer.from(text, "utf8") : undefined;
  const base64 = typeof text === "object" && text !== null && "base64" in text ? text.base64 : undefined;
  return typeof base64 === "string" ? fromBase64(base64) : undefined;
}

/** Undefined when it is not of that form. */
export function keyFrom(text: unknown): Bytes | undefined {
  if (typeof text === "string") return text.isWellFormed() ? toBytes(text) : undefined;
  const buffer = bufferFrom(text);
  return buffer === undefined ? undefined : bytesOf(buffer);
}

/** Undefined unless every character counts: Node passes over what is none of base64. */
export function fromBase64(text: string): Buffer | undefined {
  const buffer = Buffer.from(text, "base64");
  return buffer.toString("base64") === text ? buffer : undefined;
}
