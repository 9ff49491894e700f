import * as crypto from "node:crypto";
import type { Digest, Hash } from "./types.ts";

/** In one call, several times faster for a record's size; Node has it from 20.12 on. */
const inOneCall: typeof crypto.hash | undefined = crypto.hash;

export const sha256: Hash = (bytes) => {
  if (inOneCall !== undefined) return inOneCall("sha256", bytes, "binary") as Digest;
  return crypto.createHash("sha256").update(bytes).digest("binary") as Digest;
};

/** Hexadecimal, for people. */
export function hexOf(digest: Digest): string {
  return Buffer.from(digest, "latin1").toString("hex");
}
