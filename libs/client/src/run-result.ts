import { Failure, type Limits } from "@seriatim/protocol";
import { decodeValue, encodeValue } from "./values.ts";

/** A function's return value as its intent carries it: null when it returned nothing. */
export function encodeResult(value: unknown, { resultBytes }: Limits): Uint8Array | null {
  if (value === undefined) return null;
  const bytes = encodeValue(value, "the function's return value");
  if (bytes.length <= resultBytes) return bytes;
  throw new Failure(
    "invalid_argument",
    `the function's return value is ${bytes.length} bytes as encoded; the intent carries at most ${resultBytes} in this ` +
      "space (resultBytes): return less, and hand the rest over in a variable or read it outside of the transaction",
  );
}

export function decodeResult(result: Uint8Array | null): unknown {
  return result === null ? undefined : decodeValue(result);
}
