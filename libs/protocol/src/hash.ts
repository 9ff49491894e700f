import { createHash } from "node:crypto";
import type { Digest, Hash } from "./types.ts";

export const sha256: Hash = (bytes) => createHash("sha256").update(bytes).digest("binary") as Digest;

/** Hexadecimal, for people. */
export function hexOf(digest: Digest): string {
  return Buffer.from(digest, "latin1").toString("hex");
}
